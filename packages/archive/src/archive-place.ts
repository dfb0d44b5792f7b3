/** Where the archive is kept. */
export type ArchivePlace = FolderPlace | BucketPlace

/** A folder on this machine. */
export type FolderPlace = Readonly<{ kind: 'folder'; folder: string }>

/** A bucket on an S3-compatible server. */
export type BucketPlace = Readonly<{
  kind: 'bucket'
  /** The server's address, without a path. */
  endpoint: string
  bucket: string
  /** Empty, or a path of folders in the bucket, separated by `/`. */
  prefix: string
  accessKey: string
  secretKey: string
  region: string
  /** The address at which customers reach the server, without a path; undefined if they cannot. */
  publicUrl: string | undefined
}>
