import type { ReactNode } from 'react'
import { Poster, PosterBand } from './poster.tsx'
import './sign-in-page.css'

/** The frame of login, registration and confirmation: the form, what the product is, and the picture beside it. */
export function SignInPage({ children }: { children: ReactNode }) {
  return (
    <div className="sign-in">
      <PosterBand />
      <p className="sign-in-product">Live Solana pairs and swaps over one websocket</p>
      <div className="sign-in-column">
        <div className="sign-in-form">{children}</div>
      </div>
      <Poster />
    </div>
  )
}
