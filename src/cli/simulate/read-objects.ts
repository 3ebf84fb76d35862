import { ProblemsError, type Terminal } from '../command-line.ts'
import { type ManifestDocument, readDocuments, syntaxLine } from '../input/documents.ts'
import { admitOwnKind } from '../input/own-kinds.ts'
import { parsePath } from '../input/path.ts'
import { isSimulationKind, type SimulationObjects, sortObjects } from './objects.ts'
import { catalogueProblems, coreShapeProblems, problemLine } from './shape.ts'

/** Everything of the input that a simulation reads. */
export async function readObjects(files: readonly string[], terminal: Terminal): Promise<SimulationObjects> {
  return sortObjects(await readJudged(files, terminal))
}

/** Documents as the API server would store them. All are judged before anything is said about one. */
export async function readJudged(
  files: readonly string[],
  terminal: Pick<Terminal, 'cwd' | 'stdin'>,
): Promise<readonly ManifestDocument[]> {
  const judged = (await readDocuments(files, terminal)).map(judge)
  const problems = judged.flatMap((each) => each.problems)
  if (problems.length > 0) throw new ProblemsError(problems)
  return judged.map(({ document }) => document)
}

interface Judged {
  /** With defaults. */
  readonly document: ManifestDocument
  /** One line per problem. */
  readonly problems: readonly string[]
}

function judge(document: ManifestDocument): Judged {
  const { content, file } = document
  if (content.kind === 'unreadable') {
    const problems = content.problems.map((problem) => syntaxLine(file, problem))
    return { document, problems }
  }
  const admitted = admitOwnKind(content.object)
  if (admitted !== undefined) {
    const problems = admitted.errors
      // `<nil>` only says that the rules were not reached, which goes without saying here.
      .filter(({ path }) => path !== '<nil>')
      .map(({ path, body }) => problemLine(document, { path: parsePath(path, content.object), message: body }))
    const object = admitted.object as typeof content.object
    return { document: { ...document, content: { kind: 'object', object } }, problems }
  }
  if (!isSimulationKind(content.object)) return { document, problems: [] }
  const problems = [...coreShapeProblems(content.object), ...catalogueProblems(content.object)]
  return { document, problems: problems.map((problem) => problemLine(document, problem)) }
}
