import type { ComponentChildren } from "preact";
import { Words } from "../common/Words";
import { type Asked, NONE_KEY, chosen, keysOf, listAt, sameAnswer, valueAt, withValue } from "./answer";
import type { Answer, Path, Question, Value } from "./types";

interface FormProps {
  questions: Question[];
  answer: Answer;
  /** The question whose options the digits choose. */
  active: Asked | undefined;
  onChange: (answer: Answer, at: Path) => void;
}

/** The questions of a step, in the order of its answer. */
export function Form(props: FormProps) {
  return <Questions {...props} path={[]} />;
}

function Questions(props: FormProps & { path: Path }) {
  return (
    <>
      {props.questions.map((question) => {
        const path = [...props.path, question.name];
        return <One key={path.join("/")} {...props} question={question} path={path} />;
      })}
    </>
  );
}

type OneProps = FormProps & { question: Question; path: Path };

function One(props: OneProps) {
  const { question, path, answer } = props;
  switch (question.kind) {
    case "group":
      return (
        <fieldset class="rate-group">
          <legend>{question.title}</legend>
          <About text={question.about} />
          <Questions {...props} questions={question.questions} path={path} />
        </fieldset>
      );
    case "entries":
      return <Entries {...props} />;
    case "choice":
    case "choices":
      return <Choice {...props} />;
    case "quote":
    case "quotes":
      return <Quotes {...props} />;
    case "number":
      return (
        <Labelled {...props}>
          <input
            type="number"
            step="any"
            min={question.least ?? undefined}
            max={question.most ?? undefined}
            value={(valueAt(answer, path) as number | undefined) ?? ""}
            onInput={(event) => set(props, event.currentTarget.valueAsNumber)}
          />
        </Labelled>
      );
    default:
      return <Text {...props} />;
  }
}

function set({ answer, path, onChange }: OneProps, value: unknown) {
  onChange(withValue(answer, path, value), path);
}

function About({ text }: { text: string }) {
  return text ? (
    <p class="quiet rate-about">
      <Words>{text}</Words>
    </p>
  ) : null;
}

function Labelled(props: OneProps & { children: ComponentChildren }) {
  return (
    <div class="rate-question">
      <label>
        <span class="rate-title">
          {props.question.title}
          {/* An empty list is an answer: none. */}
          {!props.question.needed && props.question.kind !== "lines" && <span class="quiet"> (if you like)</span>}
        </span>
        {props.children}
      </label>
      <About text={props.question.about} />
    </div>
  );
}

function Text(props: OneProps) {
  const { question, path, answer } = props;
  const value = valueAt(answer, path);
  const isLines = question.kind === "lines";
  const text = Array.isArray(value) ? value.join("\n") : typeof value === "string" ? value : "";
  return (
    <>
      <Labelled {...props}>
        <textarea
          rows={isLines ? 5 : 2}
          disabled={question.none && value === null}
          placeholder={isLines ? "one a line" : undefined}
          value={text}
          onInput={(event) => {
            const written = event.currentTarget.value;
            set(props, isLines ? (written === "" ? [] : written.split("\n")) : written);
          }}
        />
      </Labelled>
      {question.none && (
        <label class="rate-none">
          <input
            type="checkbox"
            checked={value === null}
            onChange={(event) => set(props, event.currentTarget.checked ? null : "")}
          />{" "}
          none
        </label>
      )}
    </>
  );
}

function Choice(props: OneProps) {
  const { question, path, answer, active } = props;
  const value = valueAt(answer, path);
  const isOne = question.kind === "choice";
  const keys = sameAnswer(path, active?.path) ? keysOf(question) : [];
  const isShort = question.options.every((option) => !option.about && option.label.length < 24);
  const label = `rate-${path.join("-")}`.replace(/[^\w-]/g, "_");
  return (
    <div class={`rate-question${keys.length ? " active" : ""}`}>
      <span class="rate-title" id={label}>
        {question.title}
      </span>
      <About text={question.about} />
      <div
        role={isOne ? "radiogroup" : "group"}
        aria-labelledby={label}
        class={isShort ? "rate-options short" : "rate-options"}
      >
        {question.options.map((option, place) => {
          const isChosen = isOne
            ? value === option.value
            : Array.isArray(value) && (value as Value[]).includes(option.value);
          return (
            <button
              key={String(option.value)}
              type="button"
              role={isOne ? "radio" : "checkbox"}
              aria-checked={isChosen}
              class={isChosen ? "option chosen" : "option"}
              onClick={() => set(props, chosen(question, value, option.value))}
            >
              {keys[place] === option.label ? (
                <kbd class="option-label">{option.label}</kbd>
              ) : (
                <>
                  {keys[place] && <kbd aria-hidden="true">{keys[place]}</kbd>}
                  <span class="option-label">
                    <Words>{option.label}</Words>
                  </span>
                </>
              )}
              {option.about && (
                <span class="quiet">
                  <Words>{option.about}</Words>
                </span>
              )}
            </button>
          );
        })}
        {!isOne && question.none && (
          <button
            type="button"
            role="checkbox"
            aria-checked={Array.isArray(value) && value.length === 0}
            class={Array.isArray(value) && value.length === 0 ? "option chosen" : "option"}
            onClick={() => set(props, [])}
          >
            {keys.length > 0 && <kbd aria-hidden="true">{NONE_KEY}</kbd>}
            <span class="option-label">none of them</span>
          </button>
        )}
      </div>
    </div>
  );
}

function Quotes(props: OneProps) {
  const { question, path, answer } = props;
  const value = valueAt(answer, path);
  const isOne = question.kind === "quote";
  const quotes = isOne ? (value ? [value as string] : []) : listAt(answer, path);
  return (
    <div class="rate-question">
      <span class="rate-title">
        {question.title}
        {!question.needed && <span class="quiet"> (if you like)</span>}
      </span>
      {!isOne && <About text={question.about} />}
      {quotes.map((quote, place) => (
        <blockquote key={place}>
          <Words>{String(quote)}</Words>
          {!isOne && (
            <button
              type="button"
              class="small"
              aria-label={`Remove the marked passage ${place + 1}`}
              onClick={() =>
                set(
                  props,
                  quotes.filter((_, at) => at !== place),
                )
              }
            >
              Remove
            </button>
          )}
        </blockquote>
      ))}
      {quotes.length === 0 && (
        <p class="quiet rate-about">Nothing is marked. Select words of the text with the mouse to mark them.</p>
      )}
    </div>
  );
}

function Entries(props: OneProps) {
  const { question, path, answer } = props;
  const entries = listAt(answer, path);
  const isMarked = question.questions.some((one) => one.kind === "quote");
  return (
    <fieldset class="rate-group">
      <legend>
        {question.title} ({entries.length})
      </legend>
      <About text={question.about} />
      {entries.map((_, place) => (
        <section class="rate-entry" key={place} aria-label={`${question.title} ${place + 1}`}>
          <Questions {...props} questions={question.questions} path={[...path, place]} />
          <button
            type="button"
            class="small"
            onClick={() =>
              set(
                props,
                entries.filter((_, at) => at !== place),
              )
            }
          >
            Remove entry {place + 1}
          </button>
        </section>
      ))}
      {isMarked ? (
        <p class="quiet">
          To add one, select its words in the text with the mouse. Save without any if there is none.
        </p>
      ) : (
        <button type="button" onClick={() => set(props, [...entries, {}])}>
          Add one
        </button>
      )}
    </fieldset>
  );
}
