/** Asks for a page every millisecond until its input ends, and says the longest time that an answer took, ms. */
const [url = ""] = process.argv.slice(2);
let longest = 0;
let over = false;
process.stdin.on("end", () => {
  over = true;
});
process.stdin.resume();
console.log("asking");
while (!over) {
  const began = performance.now();
  await (await fetch(url)).arrayBuffer();
  longest = Math.max(longest, performance.now() - began);
  await Bun.sleep(1);
}
console.log(longest);

export {};
