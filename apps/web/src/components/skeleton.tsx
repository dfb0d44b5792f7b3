import { useEffect, useState } from 'react'
import './skeleton.css'

/** Grey blocks of the final size while something loads. Nothing is drawn in the first 200 ms. */
export function Skeleton({ width, height }: { width: number | string; height: number }) {
  return <span className="skeleton" style={{ width, height }} aria-hidden="true" />
}

/** Whether what is waited for has not come within `ms`. */
export function useLate(ms: number, isWaiting = true): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => setLate(true), ms)
    return () => {
      clearTimeout(timer)
      setLate(false)
    }
  }, [ms, isWaiting])
  return isLate
}
