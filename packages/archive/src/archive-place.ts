/** Where the archive is kept. */
export type ArchivePlace = FolderPlace | BucketPlace

/** A folder of this machine. */
export type FolderPlace = Readonly<{ kind: 'folder'; folder: string }>

/** A bucket of an S3-compatible server. */
export type BucketPlace = Readonly<{
  kind: 'bucket'
  /** The server's address, without a path. */
  endpoint: string
  bucket: string
  /** Empty, or folders within the bucket with `/` between. */
  prefix: string
  accessKey: string
  secretKey: string
  region: string
  /** The server's address as customers reach it, without a path; undefined where they do not. */
  publicUrl: string | undefined
}>
