import { parseCron } from '../../api/cron.ts'
import { isDay } from '../../api/validation/formats.ts'
import { isTimeZone } from '../../model/zoned-time.ts'
import type { Problem, Rule } from '../rule.ts'

export const rolloutTimes: Rule = {
  id: 'JN-111',
  title: 'Windows and blackout dates of a RolloutPolicy must name real times',
  severity: 'deny',
  looksAt: 'object',
  fix: 'Use five cron fields or a macro, an IANA time zone such as Europe/Berlin, and dates that exist.',
  check(subject) {
    if (subject.kind !== 'RolloutPolicy') return []
    const { windows = [], blackoutDates = [] } = subject.object.spec
    return [
      ...windows.flatMap(({ schedule, timeZone }, index) => {
        const parsed = parseCron(schedule)
        const path = `spec.windows[${index}]`
        return [
          ...(parsed.kind === 'invalid'
            ? [{ path: `${path}.schedule`, message: `the schedule does not parse: ${parsed.message}` }]
            : []),
          ...zoneProblems(`${path}.timeZone`, timeZone),
        ]
      }),
      ...blackoutDates.flatMap(({ from, to, timeZone }, index) => {
        const path = `spec.blackoutDates[${index}]`
        return [
          ...dateProblems(`${path}.from`, from),
          ...dateProblems(`${path}.to`, to),
          ...zoneProblems(`${path}.timeZone`, timeZone),
        ]
      }),
    ]
  },
}

function zoneProblems(path: string, timeZone: string | undefined): Problem[] {
  return timeZone === undefined || isTimeZone(timeZone) ? [] : [{ path, message: `"${timeZone}" is no time zone` }]
}

function dateProblems(path: string, date: string | undefined): Problem[] {
  return date === undefined || isDay(date) ? [] : [{ path, message: `${date} is no date` }]
}
