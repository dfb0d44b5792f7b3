/** Milliseconds for a test that starts its own services or walks through many pages. */
export const STORY_MS = 90_000
