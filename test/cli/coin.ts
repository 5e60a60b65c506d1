/** The first arm passes in half of all runs, the second never. */
export const COIN = `name: coin
task: {prompt: Say hello., probe: {checks: [{run: test -f hello.txt, required: true}]}}
arms:
  - id: tries
    model: scripted/tries
    scripts:
      - {weight: 1, turns: [{calls: [{write_file: {path: hello.txt, content: hi}}]}, {say: Done.}]}
      - {weight: 1, turns: [{say: Done.}]}
  - {id: talks, model: scripted/talks, script: [{say: I would.}]}
rubric: {criteria: [{measure: probe_score}], judge: {model: builtin/evidence}}
`;
