declare module 's3rver' {
  /** A server of buckets in a folder, for tests. */
  export default class S3rver {
    constructor(options: Readonly<Record<string, unknown>>)
    run(): Promise<{ port: number }>
    close(): Promise<void>
  }
}
