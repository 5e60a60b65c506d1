/** A scenario whose reference fix is one line in a function, and whose judge is asked two questions. */
export const SMALL_FIX = `name: adder
task:
  prompt: The sum is wrong. Mend it.
  fixture:
    files:
      src/add.ts: |
        export function add(one: number, other: number): number {
          return one - other;
        }
  reference_fix:
    files:
      src/add.ts: |
        export function add(one: number, other: number): number {
          const total = one + other;
          return total;
        }
arms:
  - {id: plain, model: scripted/x, system_prompt: You are brief., script: [{say: Done.}]}
  - {id: loud, extends: plain, system_prompt: You shout.}
rubric:
  criteria:
    - {id: right, question: Is the sum right?}
    - {id: plain, question: Is it plain?}
    - measure: changed_lines
`;
