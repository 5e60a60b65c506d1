import { expect } from "bun:test";
import type { ScenarioFile } from "../../src/comparison/scenario/authored/scenario-file.ts";
import { abeval } from "../abeval.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { containerTask } from "../task-sets.ts";

const SOLUTION = "cp /app/in.txt /app/out.txt\n";

/** A task whose set-up, solution and tests need the variables of its Dockerfile. */
const VARIABLES = {
  dockerfile: 'ENV IN=in PATH="/app/bin:$PATH"\nENV OUT="$IN/../out.txt"\nRUN mkdir "$IN"\n',
  solution: 'cp "/app/$IN.txt" "/app/$OUT"\n',
  script: 'grep -qx hello "/app/$OUT" && test -f "$TEST_DIR/wanted.txt"',
};

for (const form of ["harbor", "terminal-bench"] as const)
  testNeeding(SANDBOX)(
    `tasks with a Dockerfile in the form ${form} run where they expect their files, or are refused`,
    async () => {
      const refused: Readonly<Record<string, Partial<Parameters<typeof containerTask>[1]>>> = {
        "a-service": { dockerfile: 'CMD ["nginx"]\n' },
        "b-stages": { dockerfile: "FROM debian\n" },
        "c-system": { dockerfile: "COPY in.txt /etc/app.conf\n" },
        "d-beside": { script: "test -f /data/out.txt" },
        "e-online": { script: "curl https://example.org" },
        "f-package": { dockerfile: "RUN apt-get update && apt-get install -y no-such-package-x\n" },
        "g-variable": { dockerfile: "ENV MODE=$OTHER\n" },
        "h-judge": { script: "test -n $OPENAI_API_KEY" },
        "i-unsolved": { solution: "exit 3\n" },
        "j-image": { dockerfile: "COPY --from=busybox /bin/sh /app/sh\n" },
        "k-outside": { dockerfile: "COPY in.txt /app/../../abeval-escape.txt\n" },
        "m-program": { dockerfile: "RUN no-such-program-x --version\n" },
        "n-setup": { dockerfile: "RUN exit 5\n", solution: SOLUTION },
        "l-stars": { dockerfile: `COPY *${"a*".repeat(20)}b /app/x/\n` },
      };
      await using folder = await scenarioFolder({
        ...containerTask("set/copy", { form, ...VARIABLES }),
        ...containerTask("set/open", { form }),
        ...Object.assign(
          {},
          ...Object.entries(refused).map(([name, more]) =>
            containerTask(`set/${name}`, { form, solution: SOLUTION, ...more }),
          ),
        ),
      });
      const { status } = await abeval(["run", "--new", "evals", "--from=set", "--quiet"], { cwd: folder.directory });
      expect(status).toBe(0);
      const conversion = await Bun.file(folder.path("evals/conversion.json")).json();
      expect(conversion.made).toEqual([
        { task: "copy", scenario: "copy.yaml", reference: "passed" },
        { task: "open", scenario: "open.yaml", reference: "none" },
      ]);
      expect(conversion.refused.map(({ reason }: { reason: string }) => reason)).toEqual([
        'starts a service: ["nginx"]',
        "builds its image in several stages",
        "puts files into a system path: /etc, which would cover /etc, which the sandbox needs",
        "needs a path outside of its directory: /data/out.txt",
        "has tests that need the network: curl https://example.org",
        "needs Debian packages that this machine lacks: no-such-package-x",
        "refers to a variable that no ENV before it sets: $OTHER",
        "has tests that ask a model over the network",
        expect.stringMatching(/^its own solution gives no reference fix: exit code 3/),
        "copies files of another image",
        "names a file outside of its own directory",
        expect.stringContaining("copies with more than two stars"),
        "needs a program that this machine lacks below /usr: no-such-program-x",
        expect.stringMatching(/^cannot be tried: task\.setup\[0\] `exit 5` failed/),
      ]);
      const text = await Bun.file(folder.path("evals/copy.yaml")).text();
      expect(text).toContain("# The Dockerfile adds to PATH; that is left out");
      const { task, policies } = Bun.YAML.parse(text) as ScenarioFile;
      expect(task).toMatchObject({
        prompt: "Copy /app/in.txt to /app/out.txt.\n",
        fixture: {
          dir: "copy/fixture",
          at: "/app",
          also: { "/tests": { private: true }, "/logs": { private: true } },
          env: { IN: "in", OUT: "in/../out.txt" },
        },
        probe: { dir: "copy/probe", checks: [{ id: "tests", before: "fail", required: true, timeout_s: 120 }] },
        reference_fix: { patch: "copy/reference.patch" },
      });
      expect(policies).toEqual({ budget: { max_seconds: 900 } });
    },
  );
