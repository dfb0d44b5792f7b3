import { useNavigate } from 'react-router'
import { useConfig } from './api/config-store.ts'
import { useAccount } from './api/use-account.ts'
import { writeClipboard } from './components/copy-text.ts'
import type { Command } from './features/command-palette/command.ts'
import { CommandPalette } from './features/command-palette/command-palette.tsx'
import { examplesOf } from './features/console/request/examples.ts'
import { useSession } from './session/session.ts'
import { chooseTheme, readTheme, THEME_LABELS, THEMES } from './shell/theme.ts'

/** The command palette with all commands of the dashboard. Signed out, it offers a visitor's commands. */
export default function DashboardPalette(opened: { typed: string; onClose: () => void }) {
  const navigate = useNavigate()
  const { statusUrl, registration } = useConfig()
  const session = useSession()
  const { account } = useAccount()
  const apiKey = session ? account?.user.APIKey : undefined

  const page = (label: string, path: string, icon: Command['icon'], keywords?: string): Command => ({
    id: path,
    group: 'Pages',
    label,
    icon,
    ...(keywords ? { keywords } : {}),
    run: () => navigate(path),
  })
  const theme = readTheme()

  const commands: readonly Command[] = [
    page('Account', '/dashboard/account', 'account', 'plan api key usage'),
    page('Test Console', '/dashboard/console', 'console', 'stream'),
    page('Webhooks', '/dashboard/account?webhook=', 'send', 'post endpoint'),
    page('Upgrade', '/dashboard/upgrade', 'arrow', 'plans subscribe price trial'),
    page('Historical data', '/dashboard/historical', 'clock', 'shop buy'),
    page('Orders', '/dashboard/historical/orders', 'clock', 'historical data'),
    page('Guides', '/dashboard/guides', 'book'),
    page('Help', '/dashboard/help', 'help', 'support chat email'),
    {
      id: 'docs',
      group: 'Pages',
      label: 'Docs',
      icon: 'book',
      keywords: 'documentation reference',
      run: () => window.location.assign('/docs'),
    },
    {
      id: 'status',
      group: 'Pages',
      label: 'System Status',
      icon: 'status',
      keywords: 'uptime lag',
      note: 'New tab',
      run: () => void window.open(statusUrl, '_blank', 'noopener'),
    },
    ...examplesOf().map(
      ({ label, text }, index): Command => ({
        id: `example-${index}`,
        group: 'Console examples',
        label,
        icon: 'code',
        keywords: 'request',
        run: () => navigate(`/dashboard/console?${new URLSearchParams({ request: text })}`),
      }),
    ),
    ...(apiKey
      ? [
          {
            id: 'copy-key',
            group: 'API key',
            label: 'Copy API key',
            icon: 'copy',
            run: { answering: async () => ((await writeClipboard(apiKey)) ? 'Copied' : 'Not copied') },
          } satisfies Command,
        ]
      : []),
    ...THEMES.map(
      (choice): Command => ({
        id: `theme-${choice}`,
        group: 'Theme',
        label: THEME_LABELS[choice],
        icon: choice === theme ? 'check' : 'moon',
        keywords: 'colour color mode',
        ...(choice === theme ? { note: 'Current' } : {}),
        run: () => chooseTheme(choice),
      }),
    ),
    ...(session
      ? [aSession('Sign Out', '/logout', 'log out leave')]
      : [
          aSession('Sign In', '/dashboard/login', 'log in'),
          ...(registration ? [] : [aSession('Register', '/dashboard/register', 'sign up')]),
        ]),
  ]

  function aSession(label: string, path: string, keywords: string): Command {
    return { ...page(label, path, 'key', keywords), group: 'Session' }
  }

  return <CommandPalette commands={commands} {...opened} />
}
