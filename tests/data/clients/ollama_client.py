"""Ollama's own client against the local server: python ollama_client.py URL KEY"""
import sys
import ollama

url = sys.argv[1]
client = ollama.Client(host=url)
model, thinker = "llama-test", "thinker:8b"
said = "ANSWER: Oslo\nThat is the capital."
thought = "Let me look at the graph."


def messages(text="Which city?"):
    return [{"role": "system", "content": "Walk the graph."}, {"role": "user", "content": text}]


def fails(status, work):
    try:
        work()
    except ollama.ResponseError as error:
        assert error.status_code == status, error
        return error
    raise AssertionError(f"status {status} was expected")


# Whole: text, thinking, reasons, counts.
reply = client.chat(model=model, messages=messages())
assert reply.message.content == said and reply.message.role == "assistant" and reply.message.thinking is None
assert reply.done and reply.done_reason == "stop" and reply.eval_count > 0 and reply.prompt_eval_count > 0
reply = client.chat(model=thinker, messages=messages(), think=True)
assert reply.message.content == said and reply.message.thinking == thought
assert client.chat(model=thinker, messages=messages(), think=False).message.thinking is None
reply = client.chat(model=model, messages=messages(), options={"stop": ["\n"], "seed": 1, "temperature": 0.5, "num_ctx": 4096})
assert reply.message.content == "ANSWER: Oslo"
reply = client.chat(model=model, messages=messages(), options={"num_predict": 1})
assert (reply.message.content, reply.done_reason) == ("ANSW", "length")

# In pieces.
parts = list(client.chat(model=thinker, messages=messages(), stream=True))
assert "".join(p.message.content or "" for p in parts) == said
assert "".join(p.message.thinking or "" for p in parts) == thought
assert [p.done for p in parts] == [False] * (len(parts) - 1) + [True] and parts[-1].eval_count > 0

# Log-probabilities, whole and in pieces.
reply = client.chat(model=model, messages=messages(), logprobs=True)
assert "".join(entry.token for entry in reply.logprobs) == said and min(entry.logprob for entry in reply.logprobs) == -1.2
parts = [p for p in client.chat(model=model, messages=messages(), logprobs=True, stream=True) if p.logprobs]
assert "".join(entry.token for p in parts for entry in p.logprobs) == said
assert client.chat(model=model, messages=messages()).logprobs is None

# Structured output.
schema = {"type": "object", "properties": {"relation": {"type": "string", "enum": ["~P161", "P57"]}}, "required": ["relation"]}
assert client.chat(model=model, messages=messages(), format=schema).message.content == '{"relation":"~P161"}'

# A text that is continued.
reply = client.generate(model=model, prompt="Q: Which city?\nA:", raw=True)
assert reply.response == said and reply.done
assert "".join(p.response for p in client.generate(model=model, prompt="A:", raw=True, stream=True)) == said

# Models and errors.
assert [m.model for m in client.list().models] == ["llama-test:latest", thinker]
assert "not found" in fails(404, lambda: client.chat(model="none", messages=messages())).error
assert "server busy" in fails(503, lambda: client.chat(model=model, messages=messages("be overloaded"))).error
fails(404, lambda: list(client.chat(model="none", messages=messages(), stream=True)))
print("passed")
