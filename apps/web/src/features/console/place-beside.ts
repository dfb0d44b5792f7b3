/** Places a fixed popup below its opener, or as far up and to the left as needed to be fully visible. */
export function placeBeside(popup: HTMLElement, beside: HTMLElement): void {
  const box = beside.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = popup
  popup.style.left = `${Math.max(EDGE, Math.min(box.left, innerWidth - width - EDGE))}px`
  popup.style.top = `${Math.max(EDGE, Math.min(box.bottom + GAP, innerHeight - height - EDGE))}px`
}

/** CSS pixels to the window's edge, and to the opener. */
const EDGE = 12
const GAP = 6
