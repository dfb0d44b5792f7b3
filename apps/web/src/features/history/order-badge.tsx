import type { Order } from '@pairwire/contract/history-answers'
import { Badge } from '../../components/badge.tsx'
import { orderLook } from './order-look.ts'

export function OrderBadge({ order }: { order: Order }) {
  const { words, tone, icon } = orderLook(order)
  return (
    <Badge tone={tone} {...(icon ? { icon } : {})}>
      {words}
    </Badge>
  )
}
