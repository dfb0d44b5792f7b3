export { createPublicFetch, type PublicFetch } from './fetch-public.ts'
export { FILE_URL_MAX, type OwnPages, readFileUrl } from './file-url.ts'
export { createPublicPost, type PostAnswer, type PublicPost } from './post-public.ts'
export { createPublicResolver, type Place, type ResolvePlace } from './public-resolver.ts'
