import * as z from 'zod'
import { isAddress } from '../base58.ts'

/** Base58 of 32 bytes. */
export const Address = z.string().refine(isAddress, 'is not the base58 form of 32 bytes')

/** A raw token amount or a count of lamports: a decimal string, since it may exceed 2^53. */
export const RawAmount = z.string().regex(/^\d+$/)
