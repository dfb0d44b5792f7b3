import { ChartPicture } from '../chart/mirrored-chart.tsx'
import { useFeed } from '../feed/feed.ts'
import { figures } from '../figures.ts'
import { StatusShape, StatusWords, useStreamState } from './status-word.tsx'
import './readouts.css'

/** The running stream at the bottom of the phone's menu: state, rate and chart. */
export function MenuStream() {
  const state = useStreamState()
  const perSecond = useFeed('perSecond')
  return (
    <div className="menu-stream">
      <p>
        <span className="menu-status aligned">
          <StatusShape state={state} />
          <StatusWords />
        </span>
        <span className="num">{figures.whole(perSecond)}/s</span>
      </p>
      <ChartPicture />
    </div>
  )
}
