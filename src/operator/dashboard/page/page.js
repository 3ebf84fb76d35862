// The web page of the operator: draws /fleet.json again and again. Every text of the cluster goes through textContent.

const refreshMs = 3000
const longTextMax = 160
const byId = (id) => document.getElementById(id)
const number = (value, digits) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

const money = (value) => (value === null ? '–' : `$${value.toFixed(4)}`)
const share = ({ requested, allocatable }) => (allocatable > 0 ? requested / allocatable : 0)
const percent = (usage) => (usage.allocatable > 0 ? `${Math.round(share(usage) * 100)} %` : '–')

function age(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const parts = [
    [Math.floor(seconds / 86400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  return first < 0
    ? '0s'
    : parts
        .slice(first, first + 2)
        .map(([count, unit]) => `${count}${unit}`)
        .join(' ')
}

function progress(item) {
  const {
    upToDateNodes,
    nodes,
    presentNodes,
    rollout,
    outlook,
    reason,
    message,
    pausedUntil,
    retiring,
    blockedBy,
    problems,
  } = item
  // What a policy says of its rollout says why it holds nodes, too.
  const isTold = rollout?.phase !== undefined && rollout.phase === reason
  // Blocks follow one by one, and the target has a column of its own.
  const said = message.replace(/; blocked: [^;]*/, '').replace(/; target \S+$/, '')
  return [
    ...(upToDateNodes === null ? [] : [`${upToDateNodes} of ${nodes ?? presentNodes} up to date`]),
    ...(outlook === 'Done' ? [] : [said === '' ? reason : `${reason}: ${said}`]),
    ...(pausedUntil === null ? [] : [`paused until ${pausedUntil}`]),
    ...(retiring === null ? [] : [`retiring: ${retiring}`]),
    ...blockedBy.map((block) => `${block.nodes} blocked by ${block.reason}${isTold ? '' : `: ${block.message}`}`),
    ...problems.map((problem) => `${problem.path}: ${problem.message}`),
  ].join(' · ')
}

const blocksOf = ({ blocked }) => blocked.map(({ code, message }) => `${code}: ${message}`)

const why = (node) => [...(node.drifted === null ? [] : [node.drifted.reason]), ...blocksOf(node)].join(' · ')

/** With old and new value of what drifted, which for images is long. */
const whyInFull = (node) =>
  [...(node.drifted === null ? [] : [node.drifted.message || node.drifted.reason]), ...blocksOf(node)].join(' · ')

/** A column: title, what to show, how, and by what to sort. */
const poolColumns = [
  { title: 'Name', text: ({ name }) => name, head: true },
  { title: 'State', text: ({ outlook }) => outlook, state: true },
  { title: 'Class', text: ({ nodeClass }) => nodeClass },
  { title: 'Nodes', text: ({ presentNodes }) => String(presentNodes), number: true },
  { title: 'CPU', usage: ({ cpu }) => cpu },
  { title: 'Memory', usage: ({ memory }) => memory },
  {
    title: 'Per hour',
    text: ({ cost }) => `${money(cost.usdPerHour)}${cost.unknownNodes > 0 ? ' +' : ''}`,
    number: true,
  },
  { title: 'Rollout', text: progress, long: true },
  {
    title: 'Target',
    text: ({ target, approved }) => (target === null ? '–' : `${target}${approved ? ' (approved)' : ''}`),
  },
]
const classColumns = [
  { title: 'Name', text: ({ name }) => name, head: true },
  { title: 'State', text: ({ outlook }) => outlook, state: true },
  { title: 'Nodes', text: ({ nodes }) => (nodes === null ? '–' : String(nodes)), number: true },
  { title: 'Rollout', text: progress, long: true },
  {
    title: 'Target',
    text: ({ target, approved }) => (target === null ? '–' : `${target}${approved ? ' (approved)' : ''}`),
  },
]
const nodeColumns = [
  { title: 'Name', text: ({ name }) => name, head: true, sort: ({ name }) => name },
  { title: 'Pool', text: ({ pool }) => pool || '–', sort: ({ pool }) => pool },
  { title: 'State', text: ({ state }) => state, state: true, sort: ({ state }) => state },
  { title: 'Type', text: ({ instanceType }) => instanceType, sort: ({ instanceType }) => instanceType },
  { title: 'Zone', spare: true, text: ({ zone }) => zone, sort: ({ zone }) => zone },
  {
    title: 'Capacity',
    spare: true,
    text: ({ capacityType }) => capacityType,
    sort: ({ capacityType }) => capacityType,
  },
  { title: 'CPU', usage: ({ cpu }) => cpu, sort: ({ cpu }) => share(cpu) },
  { title: 'Memory', usage: ({ memory }) => memory, sort: ({ memory }) => share(memory) },
  { title: 'Pods', text: ({ pods }) => String(pods), number: true, sort: ({ pods }) => pods },
  {
    title: 'Per hour',
    text: ({ usdPerHour }) => money(usdPerHour),
    number: true,
    sort: ({ usdPerHour }) => usdPerHour ?? -1,
  },
  {
    title: 'Age',
    text: ({ createdAt }) => age(clusterNow() - createdAt),
    number: true,
    sort: ({ createdAt }) => -createdAt,
  },
  {
    title: 'Why it goes or stays',
    text: why,
    full: whyInFull,
    long: true,
    sort: (node) => (node.drifted === null ? 0 : 2) + (node.blocked.length > 0 ? 1 : 0),
  },
]

const page = { view: null, etag: null, aheadMs: 0, sort: 'Pool', direction: 'ascending' }
const clusterNow = () => Date.now() + page.aheadMs

/** A table whose rows live on between refreshes, so that focus, selection and scrolling do. */
function table(id, columns, keyOf, onSort) {
  const root = byId(id)
  const headings = columns.map((column) => {
    const cell = document.createElement('th')
    cell.scope = 'col'
    cell.className = classOf(column)
    if (column.sort === undefined) cell.textContent = column.title
    else {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = column.title
      button.addEventListener('click', () => onSort(column))
      cell.append(button)
    }
    return cell
  })
  const line = document.createElement('tr')
  line.append(...headings)
  root.tHead.append(line)
  const rows = new Map()
  return {
    headings,
    draw(items) {
      const body = root.tBodies[0]
      const kept = new Set(items.map(keyOf))
      for (const [key, row] of rows) {
        if (kept.has(key)) continue
        row.remove()
        rows.delete(key)
      }
      items.forEach((item, index) => {
        const key = keyOf(item)
        const row = rows.get(key) ?? makeRow(columns)
        rows.set(key, row)
        columns.forEach((column, at) => fill(row.cells[at], column, item))
        if (body.rows[index] !== row) body.insertBefore(row, body.rows[index] ?? null)
      })
    },
  }
}

function classOf({ number: isNumber, long, spare }) {
  return [...(isNumber ? ['number'] : []), ...(long ? ['text'] : []), ...(spare ? ['spare'] : [])].join(' ')
}

function makeRow(columns) {
  const row = document.createElement('tr')
  for (const column of columns) {
    const cell = document.createElement(column.head ? 'th' : 'td')
    if (column.head) cell.scope = 'row'
    cell.className = classOf(column)
    if (column.usage !== undefined) cell.append(document.createElement('meter'), document.createElement('span'))
    if (column.state) cell.append(document.createElement('span'))
    row.append(cell)
  }
  return row
}

function fill(cell, column, item) {
  if (column.usage !== undefined) {
    const [meter, label] = cell.children
    const usage = column.usage(item)
    const name = `${column.title} requested`
    if (meter.getAttribute('aria-label') !== name) meter.setAttribute('aria-label', name)
    meter.value = Math.min(1, share(usage))
    setText(label, percent(usage))
    return
  }
  const text = column.text(item)
  if (column.long) {
    const full = column.full?.(item) ?? text
    const shown = text.length > longTextMax ? `${text.slice(0, longTextMax)}…` : text
    cell.title = full === shown ? '' : full
    return setText(cell, shown)
  }
  if (!column.state) return setText(cell, text)
  const [label] = cell.children
  setText(label, text)
  // Only words that the style sheet could know: the state comes from outside.
  label.className = /^[A-Za-z]+$/.test(text) ? `state ${text}` : 'state'
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}

const tables = {
  pools: table('pools', poolColumns, ({ name }) => name),
  classes: table('classes', classColumns, ({ name }) => name),
  nodes: table(
    'nodes',
    nodeColumns,
    ({ name, claim }) => `${name} ${claim}`,
    (column) => {
      const isSame = page.sort === column.title
      const first = typeof column.sort(page.view?.nodes[0] ?? emptyNode) === 'string' ? 'ascending' : 'descending'
      const other = page.direction === 'ascending' ? 'descending' : 'ascending'
      page.direction = isSame ? other : first
      page.sort = column.title
      draw()
    },
  ),
}
const emptyNode = {
  name: '',
  pool: '',
  state: '',
  instanceType: '',
  zone: '',
  capacityType: '',
  cpu: { requested: 0, allocatable: 0 },
  memory: { requested: 0, allocatable: 0 },
  pods: 0,
  usdPerHour: 0,
  createdAt: 0,
  drifted: null,
  blocked: [],
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

function sortedNodes(nodes) {
  const column = nodeColumns.find(({ title }) => title === page.sort) ?? nodeColumns[0]
  const sign = page.direction === 'ascending' ? 1 : -1
  return nodes.toSorted((a, b) => sign * compare(column.sort(a), column.sort(b)) || compare(a.name, b.name))
}

function filtered(nodes) {
  const words = byId('filter')
    .value.toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return nodes
  return nodes.filter((node) => {
    const text = [
      node.name,
      node.claim,
      node.pool,
      node.state,
      node.instanceType,
      node.zone,
      node.capacityType,
      whyInFull(node),
    ]
      .join(' ')
      .toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function card(title, value, usage) {
  const box = document.createElement('div')
  const [term, detail] = [document.createElement('dt'), document.createElement('dd')]
  term.textContent = title
  detail.textContent = value
  box.append(term, detail)
  if (usage === undefined) return box
  const meter = document.createElement('meter')
  meter.value = Math.min(1, share(usage))
  meter.setAttribute('aria-label', `${title} requested`)
  detail.append(meter)
  return box
}

function draw() {
  const { view } = page
  if (view === null) return
  const { totals } = view
  setText(byId('cluster'), view.cluster)
  document.title = view.cluster === '' ? 'Joinery' : `Joinery: ${view.cluster}`
  byId('totals').replaceChildren(
    card('Nodes ready', `${totals.readyNodes} of ${totals.nodes}`),
    card('Pods', `${totals.pods}${totals.waitingPods > 0 ? `, ${totals.waitingPods} waiting` : ''}`),
    card('CPU', `${percent(totals.cpu)} of ${number(totals.cpu.allocatable, 0)} cores`, totals.cpu),
    card('Memory', `${percent(totals.memory)} of ${number(totals.memory.allocatable / 2 ** 30, 0)} GiB`, totals.memory),
    card(
      'Cost per hour',
      `$${number(totals.cost.usdPerHour, 2)}${totals.cost.unknownNodes > 0 ? ` + ${totals.cost.unknownNodes} unknown` : ''}`,
    ),
  )
  tables.pools.draw(view.pools)
  tables.classes.draw(view.classes)
  const shown = filtered(view.nodes)
  tables.nodes.draw(sortedNodes(shown))
  setText(
    byId('shown'),
    shown.length === view.nodes.length ? `${shown.length}` : `${shown.length} of ${view.nodes.length}`,
  )
  nodeColumns.forEach(({ title }, index) => {
    tables.nodes.headings[index].setAttribute('aria-sort', title === page.sort ? page.direction : 'none')
  })
}

function tell(problem) {
  const notice = byId('notice')
  notice.hidden = problem === null
  setText(notice, problem ?? '')
  const time = new Date(clusterNow()).toISOString().slice(0, 19).replace('T', ' ')
  setText(
    byId('freshness'),
    problem === null ? `As of ${time} UTC` : page.view === null ? 'Nothing to show yet' : 'Not up to date',
  )
}

async function refresh() {
  try {
    const response = await fetch('fleet.json', {
      cache: 'no-store',
      headers: page.etag === null ? {} : { 'if-none-match': page.etag },
    })
    const now = Number(response.headers.get('joinery-now'))
    if (now > 0) page.aheadMs = now - Date.now()
    if (response.status !== 304) {
      const body = await response.json()
      if (!response.ok) throw new Error(body.problem)
      page.view = body
      page.etag = response.headers.get('etag')
    }
    draw()
    tell(null)
  } catch (error) {
    tell(error instanceof TypeError ? 'The operator does not answer.' : error.message)
  }
}

async function keepFresh() {
  for (;;) {
    // Nobody looks at a page in the background.
    if (!document.hidden) await refresh()
    await new Promise((resolve) => setTimeout(resolve, refreshMs))
  }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme
  byId('theme').setAttribute('aria-pressed', String(theme === 'dark'))
}

const remembered = (() => {
  try {
    return localStorage.getItem('joinery-theme')
  } catch {
    return null
  }
})()
setTheme(remembered ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'))
byId('theme').addEventListener('click', () => {
  const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'
  setTheme(theme)
  try {
    localStorage.setItem('joinery-theme', theme)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
})
byId('filter').addEventListener('input', draw)
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === byId('filter')) return
  event.preventDefault()
  byId('filter').focus()
})
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void refresh()
})
void keepFresh()
