#!/usr/bin/env node
// Starts the operator's tool; its source is apps/standalone/src/pairwire.ts.
import { prepare, readEnvFile } from '../scripts/prepare.mjs'

readEnvFile()
await prepare()
await import('../apps/standalone/dist/pairwire.js')
