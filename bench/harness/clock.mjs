/** Milliseconds of the machine's clock, the same in all processes. */
export const now = () => Number(process.hrtime.bigint()) / 1e6
