import type { ProofState } from '@pairwire/contract'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Figures } from './figures.ts'

/** What shows whether the data is right and whole; nothing is told where nothing is known. */
export const proofFigures =
  (read: () => ProofState | undefined): Figures =>
  (registry: Registry) => {
    const registers = [registry]
    const programCalls = new Counter({
      name: 'pairwire_decoder_calls_total',
      help: 'Calls of the programs that are decoded, and whether their instruction is known.',
      labelNames: ['program', 'exchange', 'known'] as const,
      registers,
    })
    const decoderAlarm = new Gauge({
      name: 'decoderAlarm',
      help: 'Share of the calls of a program that began to be unknown; absent while all is as usual. Alarm on any.',
      labelNames: ['program', 'exchange'] as const,
      registers,
    })
    const audited = new Counter({
      name: 'pairwire_audit_events_total',
      help: 'Events of the chain that were compared with what was published.',
      registers,
    })
    const auditFaults = new Counter({
      name: 'pairwire_audit_faults_total',
      help: 'Events that were not published as the chain has them. Alarm on more than 0.',
      labelNames: ['kind'] as const,
      registers,
    })

    const gapSlots = new Counter({
      name: 'pairwire_gap_slots_total',
      help: 'Slots of which a gap was said: upstream, where the source did not give them; deploy, where the service was away.',
      labelNames: ['cause'] as const,
      registers,
    })

    return () => {
      const proof = read()
      programCalls.reset()
      for (const [program, { exchange, understood, unknown }] of Object.entries(proof?.programs ?? {})) {
        programCalls.inc({ program, exchange, known: 'yes' }, understood)
        programCalls.inc({ program, exchange, known: 'no' }, unknown)
      }
      decoderAlarm.reset()
      for (const { program, exchange, share } of proof?.decoderAlarms ?? [])
        decoderAlarm.set({ program, exchange }, share)
      audited.reset()
      auditFaults.reset()
      gapSlots.reset()
      for (const [cause, slots] of Object.entries(proof?.gapSlots ?? {})) gapSlots.inc({ cause }, slots)
      if (!proof?.audit) return
      const { events, missing, extra, different } = proof.audit
      audited.inc(events)
      for (const [kind, count] of Object.entries({ missing, extra, different }))
        auditFaults.inc({ kind }, count)
    }
  }
