import './skeleton.css'

/** Grey blocks of the final size while something loads. Nothing is drawn in the first 200 ms. */
export function Skeleton({ width, height }: { width: number | string; height: number }) {
  return <span className="skeleton" style={{ width, height }} aria-hidden="true" />
}
