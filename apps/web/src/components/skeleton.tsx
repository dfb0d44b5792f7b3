import { useEffect, useState } from 'react'
import './skeleton.css'

/** Milliseconds before a wait is worth drawing. */
const DELAY_MS = 200

/** Grey blocks of the final size while something loads. Nothing is drawn in the first 200 ms. */
export function Skeleton({ width, height }: { width: number | string; height: number }) {
  return <span className="skeleton" style={{ width, height }} aria-hidden="true" />
}

/** Whether a wait that began with this component has lasted long enough to be drawn. */
export function useWaitShown(): boolean {
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return shown
}
