/** Places beyond which the room for them is not kept: few transactions of the chain have a tenth as many. */
const KEPT = 4_096

/** Numbers in a row. It keeps its room when it is emptied: an array that grows anew leaves four times its size behind. */
export class PlaceList {
  #places: number[] = []
  #count = 0

  get length(): number {
    return this.#count
  }

  /** The number at `index`, which the caller knows to be there. */
  at(index: number): number {
    return this.#places[index]!
  }

  push(place: number): void {
    this.#places[this.#count++] = place
  }

  /** Puts another number in the place of the one at `index`. */
  set(index: number, place: number): void {
    this.#places[index] = place
  }

  clear(): void {
    if (this.#count > KEPT) this.#places = []
    this.#count = 0
  }
}
