import { useState } from "preact/hooks";

/** Asks for the name that stands beside every decision. */
export function Name({ onName }: { onName: (name: string) => void }) {
  const [name, setName] = useState("");
  return (
    <form
      class="name"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) onName(name.trim());
      }}
    >
      <label>
        Your name, which stands beside every decision{" "}
        <input
          value={name}
          maxLength={200}
          autocomplete="name"
          ref={(field) => field?.focus()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>{" "}
      <button class="primary" disabled={!name.trim()}>
        Begin
      </button>
    </form>
  );
}
