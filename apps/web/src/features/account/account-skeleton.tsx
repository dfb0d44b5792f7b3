import { Skeleton } from '../../components/skeleton.tsx'

/** The account page while it loads, with the heights of its later contents. */
export function AccountSkeleton() {
  return (
    <>
      <div className="account-top">
        <div className="panel plan" aria-busy="true">
          <div className="plan-top">
            <div>
              <Skeleton width={92} height={21} />
              <div className="plan-name">
                <Skeleton width={120} height={40} />
              </div>
            </div>
          </div>
          <div className="plan-rest">
            <div className="facts">
              <Skeleton width="100%" height={21} />
              <Skeleton width="100%" height={21} />
              <Skeleton width="100%" height={21} />
            </div>
            <Skeleton width="100%" height={30} />
          </div>
          <div className="plan-action">
            <Skeleton width={116} height={36} />
          </div>
        </div>
        <div className="panel usage" aria-hidden="true" />
      </div>
      <div className="panel" aria-hidden="true">
        <div className="panel-head">
          <Skeleton width={92} height={21} />
        </div>
        <div className="panel-body key">
          <span className="key-wide">
            <Skeleton width="100%" height={44} />
          </span>
          <Skeleton width={146} height={44} />
          <Skeleton width={118} height={44} />
        </div>
        <div className="key-next">
          <Skeleton width={174} height={36} />
          <Skeleton width={190} height={36} />
        </div>
      </div>
    </>
  )
}
