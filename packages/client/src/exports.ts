export type { PairwireOptions } from './config.ts'
export {
  ConnectionError,
  CursorError,
  KeyError,
  PairwireError,
  PlanError,
  RequestError,
  UsageError,
} from './errors.ts'
export type { LineState } from './line-states.ts'
export type { Pairwire } from './pairwire.ts'
export type { WebSocketClass } from './socket.ts'
export type { CursorStore } from './stream/cursor-keeper.ts'
export type {
  BlockEvent,
  Gap,
  NewPairEvent,
  PairUpdate,
  SideItem,
  SlotDropped,
  StreamEvent,
  SwapEvent,
} from './stream/items.ts'
export type { Stream, StreamStats } from './stream/stream.ts'
export type { StreamOptions } from './stream/stream-options.ts'
export type { NewPairParams, Replay, SwapParams } from './subscribe-params.ts'
