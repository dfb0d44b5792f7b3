import { formatPrice } from './format-price.ts'

/** A price to four digits, its leading zeros counted. */
export function Price({ price }: { price: string }) {
  const form = formatPrice(price)
  if (!form) return <span className="third">–</span>
  return (
    <span>
      {form.head}
      {form.zeros > 0 ? <sub>{form.zeros}</sub> : null}
      {form.tail}
    </span>
  )
}
