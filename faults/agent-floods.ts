/** What an agent does to its proxy and its workspace: a module that runs in the sandbox after the tools of `hostile-agents.ts`. */
export const FLOODS: readonly { readonly name: string; readonly module: () => string }[] = [
  {
    name: "300 connections, half a request on each",
    module: () => `
      const { hostname, port, pathname } = new URL(base);
      const open = Array.from({ length: 300 }, () => { const one = createConnection(Number(port), hostname); one.on("error", () => {}); one.write("POST " + pathname + "/chat/completions HTTP/1.1\\r\\nHost: a\\r\\nAuthorization: " + headers.authorization + "\\r\\nContent-Length: 8000000\\r\\n\\r\\n{"); return one; });
      await Bun.sleep(8_000); for (const one of open) one.destroy();`,
  },
  {
    name: "8 MB, a byte at a time, on 60 connections",
    module: () => `
      const { hostname, port, pathname } = new URL(base);
      const open = Array.from({ length: 60 }, () => { const one = createConnection(Number(port), hostname); one.setNoDelay(true); one.on("error", () => {}); one.write("POST " + pathname + "/chat/completions HTTP/1.1\\r\\nHost: a\\r\\nAuthorization: " + headers.authorization + "\\r\\nContent-Length: 8000000\\r\\n\\r\\n"); return one; });
      const end = Date.now() + 8_000; while (Date.now() < end) { for (const one of open) one.write("x"); await new Promise(setImmediate); } for (const one of open) one.destroy();`,
  },
  {
    name: "pipelined requests on a connection",
    module: () => `
      const { hostname, port, pathname } = new URL(base);
      const one = createConnection(Number(port), hostname); one.on("error", () => {}).on("data", () => {});
      const body = around(JSON.stringify([user]));
      const text = "POST " + pathname + "/chat/completions HTTP/1.1\\r\\nHost: a\\r\\nContent-Type: application/json\\r\\nAuthorization: " + headers.authorization + "\\r\\nContent-Length: " + body.length + "\\r\\n\\r\\n" + body;
      one.write(text.repeat(5_000)); await Bun.sleep(8_000); one.destroy();`,
  },
  {
    name: "requests that are not read, 100,000 strays",
    module: () => `
      const { hostname, port, pathname } = new URL(base);
      const text = "GET /nothing/" + "x".repeat(5000) + " HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n";
      const open = Array.from({ length: 50 }, () => { const one = createConnection(Number(port), hostname); one.on("error", () => {}); one.write(text.repeat(2_000)); return one; });
      await Bun.sleep(8_000); for (const one of open) one.destroy();`,
  },
  {
    name: "a gzip bomb as a request",
    module: () => `
      const bomb = Bun.gzipSync(Buffer.alloc(500_000_000, 91));
      for (let n = 0; n < 20; n += 1) await fetch(base + "/chat/completions", { method: "POST", headers: { ...headers, "content-encoding": "gzip" }, body: bomb }).then((r) => r.text(), String);`,
  },
  {
    name: "100 MB on stdout and stderr",
    module: () => `
      const { writeSync } = await import("node:fs");
      const piece = Buffer.alloc(1_000_000, "x\\u001b[2J\\n"); for (let n = 0; n < 100; n += 1) { writeSync(1, piece); writeSync(2, piece); }`,
  },
  {
    name: "sockets, fifos, links in circles and names of all kinds",
    module: () => `
      const { writeFileSync, symlinkSync, mkdirSync, linkSync, truncateSync, chmodSync } = await import("node:fs");
      const { execFileSync } = await import("node:child_process"); const { createServer } = await import("node:net");
      createServer().listen("a.sock"); execFileSync("mkfifo", ["fifo", "answer.txt"]);
      for (const name of ["-rf", "--help", "a\\nb", "\\u001b[2Jx", "\\u202egpj.exe", "\\r", " ", "..a", "\\\\", "%2e%2e", "$(touch x)", "con", "x".repeat(255)]) writeFileSync(name, name);
      writeFileSync(Buffer.from([0xff, 0xfe, 0x0a]), "bytes");
      symlinkSync(".", "loop"); symlinkSync("b-link", "a-link"); symlinkSync("a-link", "b-link"); symlinkSync("/proc/self/root", "root"); symlinkSync("/etc/passwd", "passwd");
      mkdirSync("shut"); writeFileSync("shut/in", "x"); chmodSync("shut", 0);
      writeFileSync("sparse", ""); truncateSync("sparse", 250_000_000);
      for (let n = 0; n < 3000; n += 1) { mkdirSync("e".repeat(200)); process.chdir("e".repeat(200)); }`,
  },
  {
    name: "its launcher killed",
    module: () => `
      const { readdirSync, readFileSync } = await import("node:fs");
      for (const pid of readdirSync("/proc").filter((one) => /^[0-9]+$/.test(one) && Number(one) !== process.pid)) { try { const line = readFileSync("/proc/" + pid + "/cmdline", "utf8"); console.error(pid, line.replaceAll("\\0", " ").slice(0, 200)); process.kill(Number(pid), "SIGKILL"); } catch (error) { console.error(String(error)); } }
      console.error(await chat([user]));`,
  },
  {
    name: "the workspace that changes while it is read",
    module: () => `
      const { spawn } = await import("node:child_process");
      spawn("sh", ["-c", "trap '' TERM; while :; do mkdir -p x/y; echo 1 > x/y/z; mv x w; rm -rf w; ln -s /etc x; rm x; done"], { detached: true, stdio: "ignore" }).unref();
      for (let n = 0; n < 20; n += 1) await chat([user]);`,
  },
];
