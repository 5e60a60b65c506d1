/** An image that cannot be used; the message says why, to follow its path. */
export class ImageFault extends Error {
  override readonly name = "ImageFault";
}
