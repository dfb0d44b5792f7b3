declare module 's3rver' {
  /** An S3-compatible server on a folder, for tests. */
  export default class S3rver {
    constructor(options: Readonly<Record<string, unknown>>)
    run(): Promise<{ port: number }>
    close(): Promise<void>
  }
}
