/** Milliseconds that a test may take which starts services of its own or walks through many pages. */
export const STORY_MS = 90_000
