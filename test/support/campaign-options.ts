import { Command, InvalidArgumentError, Option } from 'commander'

/**
 * An option of a campaign with its default. `false` makes it a switch, a number must stay above zero, and
 * `undefined` has no default.
 */
export interface CampaignOption {
  about: string
  value: number | string | false | undefined
  choices?: readonly string[]
}

type ValueOf<Told> = Told extends { value: infer Value }
  ? Value extends number
    ? number
    : Value extends false
      ? boolean
      : Value | string
  : never

export function campaignOptions<const Options extends Readonly<Record<string, CampaignOption>>>(
  about: string,
  options: Options,
): { [Name in keyof Options]: ValueOf<Options[Name]> } {
  const command = new Command(`npm run ${process.env.npm_lifecycle_event ?? 'campaign'} --`).description(
    about,
  )
  for (const [name, option] of Object.entries(options)) command.addOption(asOption(name, option))
  return command.allowExcessArguments(false).parse().opts()
}

function asOption(name: string, { about, value, choices }: CampaignOption): Option {
  const option = new Option(value === false ? `--${name}` : `--${name} <${kindOf(value)}>`, about)
  if (value !== undefined) option.default(value)
  if (choices) return option.choices(choices)
  return typeof value === 'number' ? option.argParser(aboveZero) : option
}

const kindOf = (value: CampaignOption['value']) => (typeof value === 'number' ? 'number' : 'text')

function aboveZero(text: string): number {
  const number = Number(text)
  if (number > 0) return number
  throw new InvalidArgumentError('It takes a number above zero.')
}
