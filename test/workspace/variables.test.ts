import { expect, test } from "bun:test";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import { host } from "../machine.ts";
import { describeEachKind, never, shell } from "./harness.ts";

describeEachKind("variables of a fixture", (kind) => {
  const withVariables = (env?: Readonly<Record<string, string>>) =>
    openPristine({
      source: { dir: null, files: {} },
      sandbox: openSandbox(kind, host),
      keep: false,
      ...(env && { places: { env } }),
    });
  const show = 'printf \'%s|\' "$MODE" "$CI" "$EXTRA"';

  test("are those of setup, of each command and program in the workspace, and of its copies", async () => {
    await using pristine = withVariables({ MODE: "a 'b' $HOME", CI: "no" });
    await pristine.setup([{ run: `${show} > seen`, timeout_s: 60 }], never);
    expect(await pristine.text("seen")).toBe("a 'b' $HOME|no||");
    await using workspace = pristine.open();
    expect((await workspace.exec(shell(show), never)).output).toBe("a 'b' $HOME|no||");
    const { workspace: copy } = await workspace.fork({ restore: [], overlay: { dir: null, files: {} } });
    await using _ = copy;
    const shown = { variable: "EXTRA", at: "/run/evidence", files: { "a.txt": "a" } };
    expect((await copy.exec({ ...shell(`${show}; cat "$EXTRA/a.txt"`), shown }, never)).output).toBe(
      "a 'b' $HOME|no|/run/evidence|a",
    );
    await using program = await workspace.attach({ command: show, network: "none", environment: { CI: "own" } }, never);
    expect(Buffer.concat(await Array.fromAsync(program.stdout)).toString()).toBe("a 'b' $HOME|own||");
  });

  test("are nowhere else", async () => {
    await using other = withVariables();
    await using workspace = other.open();
    expect((await workspace.exec(shell(show), never)).output).toBe("|1||");
  });
});
