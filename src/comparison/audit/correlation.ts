/** Pearson's correlation of pairs of numbers, as they come. */
export class Correlation {
  #n = 0;
  readonly #sums = { x: 0, y: 0, xx: 0, yy: 0, xy: 0 };

  add(x: number, y: number): void {
    this.#n += 1;
    const sums = this.#sums;
    sums.x += x;
    sums.y += y;
    sums.xx += x * x;
    sums.yy += y * y;
    sums.xy += x * y;
  }

  /** Undefined while one of them never changes. */
  get value(): number | undefined {
    const { x, y, xx, yy, xy } = this.#sums;
    const variances = (this.#n * xx - x * x) * (this.#n * yy - y * y);
    return variances > 0 ? (this.#n * xy - x * y) / Math.sqrt(variances) : undefined;
  }
}
