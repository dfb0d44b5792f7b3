/**
 * Bounds of waiting, three times what a busy machine takes: continuous integration has two slow cores. They only say when to
 * give up; what the product promises is measured by the tests themselves.
 */

/** Milliseconds for a test that starts its own services or walks through many pages, and for a set-up. */
export const STORY_MS = 270_000

/** Milliseconds for any other test. */
export const TEST_MS = 90_000

/** Milliseconds for a page: less than a test has, so that it fails with the name of what is missing. */
export const PAGE_MS = 60_000

/** Milliseconds in which a service must be ready. */
export const READY_MS = 120_000

/** Milliseconds for what arrives at once on a quiet machine. */
export const SOON_MS = 30_000
