import { expect, test } from "bun:test";
import { containerOf, TaskImages } from "../../src/comparison/scenario/draft/container-task.ts";
import { DockerVariables } from "../../src/comparison/scenario/draft/docker-variables.ts";
import { readDockerfile } from "../../src/comparison/scenario/draft/dockerfile.ts";

const read = (...lines: readonly string[]) => {
  const variables = new DockerVariables();
  for (const line of lines) variables.take(line);
  return variables;
};

const refused = (...lines: readonly string[]) => expect(() => read(...lines));

const braced = (name: string) => `$\{${name}}`;

test("both forms of ENV give variables, without quotes and escapes", () => {
  expect(read('A=1 B="x y" C=a\\ b').env).toEqual({ A: "1", B: "x y", C: "a b" });
  expect(read('A b  c "d"', "B c=d").env).toEqual({ A: "b  c d", B: "c=d" });
  expect(read("A='q $B \\'", `B='it'"s"`).env).toEqual({ A: "q $B \\", B: "its" });
  expect(read(`A="it's \\$5 \\n \\"so\\" \\\\"`).env).toEqual({ A: `it's $5 \\n "so" \\` });
});

test("a reference is to what an ENV before it set, and not to its own", () => {
  expect(read("TZ=UTC", "A=1", `A=2 B=$A C="${braced("A")}$TZ"`).env).toEqual({ A: "2", B: "1", C: "1UTC" });
  refused("A=1 B=$A").toThrow("refers to a variable that no ENV before it sets: $A");
});

test("what extends PATH and what changes nothing is left out", () => {
  const { env, extends_path } = read(
    `PATH="/app/bin:${braced("PATH")}" A=1`,
    "DEBIAN_FRONTEND noninteractive",
    "PIP_HOME=$HOME",
  );
  expect([env, extends_path]).toEqual([{ A: "1" }, true]);
});

test("a working directory may be named by a variable", () => {
  expect(readDockerfile("FROM a\nENV APP=/app\nWORKDIR $APP/x\n").workdir).toBe("/app/x");
});

test.each([
  [`A=${braced("B:-1")}`, "refers to a variable that no ENV before it sets: $"],
  ["A=$(id)", "refers to a variable that no ENV before it sets: $"],
  ['A="x', "has a Dockerfile with a broken ENV"],
  ["A", "has a Dockerfile with a broken ENV"],
  ["PATH=/x", "sets a variable that a scenario cannot set: PATH"],
  ["HOME=/root", "sets a variable that a scenario cannot set: HOME"],
  ["LD_PRELOAD=x", "sets a variable that a scenario cannot set: LD_PRELOAD"],
  ["API_KEY=x", "sets a variable that a scenario cannot set: API_KEY"],
])("%s is refused", (line, why) => {
  refused(line).toThrow(why);
});

test("variables that double each other, and too many, are refused", () => {
  const doubling = Array.from({ length: 40 }, () => "A=$A$A");
  refused("A=x", ...doubling).toThrow("a value that is too long");
  refused(...Array.from({ length: 101 }, (_, index) => `A${index}=x`)).toThrow("sets more than 100 variables");
});

test("the shell's compound commands stay whole, and a program that is fetched for the system makes no step", () => {
  const { commands, debian, programs } = readDockerfile(
    [
      "FROM a",
      'RUN apt-get install -y make && for f in a b; do if [ -f $f ]; then cat $f; fi; done && echo "a; b" > c; ls',
      "RUN ARCH=$(uname -m) && if [ $ARCH = x ]; then A=1; fi && curl -L https://e.org/$A -o t && tar -C /usr/local -xzf t",
      "RUN curl -fsSL https://e.org/setup | bash - && apt-get install -y nodejs",
      "RUN npm install -g jest && add-apt-repository ppa:a/b",
      "RUN echo a > /tmp/b && go version && g++ --version",
    ].join("\n"),
  );
  expect({ commands, debian, programs }).toEqual({
    commands: ["for f in a b; do if [ -f $f ]; then cat $f; fi; done", 'echo "a; b" > c', "ls"],
    debian: ["make", "nodejs"],
    programs: ["go", "g++"],
  });
});

test("on the image that a Dockerfile begins with, its variables are set; another directory and what it adds are refused", () => {
  const base = { file: "base.tar", digest: "a".repeat(64), references: ["team/base:1"], working_directory: "/app" };
  const on = (...lines: readonly string[]) =>
    containerOf({
      dockerfile: ["FROM team/base:1", ...lines].join("\n"),
      ...{ context: [], tests: [], texts: [], python: [], called: ["task"], images: new TaskImages([base]) },
    });
  expect(on("WORKDIR /app", "ENV A=1")).toMatchObject({
    image: { path: "base.tar" },
    workdir: "/app",
    env: { A: "1" },
  });
  for (const line of [
    ...["WORKDIR /srv/other", "ENV PATH=/opt/x:$PATH"],
    ...["RUN curl -fsSL https://e.org/setup | bash -", "RUN npm install -g jest"],
  ])
    expect(() => on(line)).toThrow("needs an image: its Dockerfile adds to team/base:1");
});
