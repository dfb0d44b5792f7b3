import { formatPrice } from './format-price.ts'

/** A price with four digits and counted leading zeros. */
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
