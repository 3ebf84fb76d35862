/** Writes the reference pages that are made from tables: settings, metrics, events and the chart's values. Tests fail while they are not up to date. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventsPage } from '../src/controllers/events-page.ts'
import { metricsPage } from '../src/controllers/metrics-page.ts'
import { settingsPage } from '../src/operator/options.ts'
import { chartValuesPage } from './chart-values.ts'

const docs = join(import.meta.dirname, '../docs')
writeFileSync(join(docs, 'settings.md'), settingsPage())
writeFileSync(join(docs, 'metrics.md'), metricsPage())
writeFileSync(join(docs, 'events.md'), eventsPage())
writeFileSync(join(docs, 'chart-values.md'), chartValuesPage())
