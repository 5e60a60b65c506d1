/** A path as a message shows it. */
export const quotedPath = (path: string) => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}...` : path);

/** An image that cannot be used; the message says why, to follow its path. */
export class ImageFault extends Error {
  override readonly name = "ImageFault";
}
