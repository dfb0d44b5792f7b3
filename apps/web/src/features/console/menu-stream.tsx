import { useStore } from '../../components/store.ts'
import { figures } from './figures.ts'
import { liveFeed } from './live-feed.ts'
import { ChartPicture } from './mirrored-chart.tsx'
import { StatusShape, StatusWords, useStreamState } from './status-word.tsx'
import './readouts.css'

/** The running stream at the foot of the phone's menu: state, rate and chart. */
export function MenuStream() {
  const state = useStreamState(liveFeed)
  const perSecond = useStore(liveFeed.perSecond)
  return (
    <div className="menu-stream">
      <p>
        <span className="menu-status">
          <StatusShape state={state} />
          <StatusWords feed={liveFeed} />
        </span>
        <span className="num">{figures.whole(perSecond)}/s</span>
      </p>
      <ChartPicture feed={liveFeed} />
    </div>
  )
}
