/** Whether everything was taken; false when the reader went away. */
export async function writeStdout(text: string): Promise<boolean> {
  try {
    const written = await Bun.write(Bun.stdout, text);
    return written === Buffer.byteLength(text);
  } catch {
    return false;
  }
}
