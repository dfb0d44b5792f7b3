import { nkeys } from '@nats-io/nats-core'

/** Settings of a nats-server with signed users, and the `.creds` file of one of them. */
export function signedUser(): Readonly<{ settings: string; credentials: string }> {
  const [operator, system, account, user] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createAccount(),
    nkeys.createUser(),
  ]
  const open = {
    subs: -1,
    data: -1,
    payload: -1,
    imports: -1,
    exports: -1,
    wildcards: true,
    conn: -1,
    leaf: -1,
  }
  const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const systemToken = sign(operator, system.getPublicKey(), { type: 'account', limits: open })
  const accountToken = sign(operator, account.getPublicKey(), {
    type: 'account',
    limits: { ...open, ...storage },
  })
  const userToken = sign(account, user.getPublicKey(), {
    type: 'user',
    pub: {},
    sub: {},
    subs: -1,
    data: -1,
    payload: -1,
  })
  const seed = new TextDecoder().decode(user.getSeed())
  return {
    settings: [
      `operator: ${sign(operator, operator.getPublicKey(), { type: 'operator' })}`,
      `system_account: ${system.getPublicKey()}`,
      'resolver: MEMORY',
      'resolver_preload: {',
      `  ${system.getPublicKey()}: ${systemToken}`,
      `  ${account.getPublicKey()}: ${accountToken}`,
      '}',
    ].join('\n'),
    credentials: [
      '-----BEGIN NATS USER JWT-----',
      userToken,
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      seed,
      '------END USER NKEY SEED------',
      '',
    ].join('\n'),
  }
}

/** Signs a token as nats-server reads it, @see https://docs.nats.io/running-a-nats-service/nats_admin/security/jwt */
function sign(issuer: ReturnType<typeof nkeys.createUser>, subject: string, nats: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = [
    part({ typ: 'JWT', alg: 'ed25519-nkey' }),
    part({
      jti: subject,
      iat: Math.floor(Date.now() / 1_000),
      iss: issuer.getPublicKey(),
      sub: subject,
      name: 'test',
      nats: { ...nats, version: 2 },
    }),
  ].join('.')
  return `${text}.${Buffer.from(issuer.sign(new TextEncoder().encode(text))).toString('base64url')}`
}
