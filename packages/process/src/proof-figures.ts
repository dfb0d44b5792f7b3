import type { ProofState } from '@pairwire/contract'
import type { Registry } from 'prom-client'
import { type Figures, metricsOf } from './figures.ts'

/** What shows whether the data is right and whole; nothing is told where nothing is known. */
export const proofFigures =
  (read: () => ProofState | undefined): Figures =>
  (registry: Registry) => {
    const { counter, gauge } = metricsOf(registry)
    const programCalls = counter(
      'pairwire_decoder_calls_total',
      'Calls of the decoded programs, and whether their instruction is known.',
      'program',
      'exchange',
      'known',
    )
    const decoderAlarm = gauge(
      'pairwire_decoder_alarm',
      'Share of the calls of a program that have become unknown; absent while all is as usual. Alarm on any.',
      'program',
      'exchange',
    )
    const audited = counter(
      'pairwire_audit_events_total',
      'Events of the chain that were compared with the published ones.',
    )
    const auditFaults = counter(
      'pairwire_audit_faults_total',
      'Events that were not published as the chain has them. Alarm on more than 0.',
      'kind',
    )

    const gapSlots = counter(
      'pairwire_gap_slots_total',
      'Slots reported as gaps: upstream if the source did not deliver them, deploy if the service was down.',
      'cause',
    )

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
