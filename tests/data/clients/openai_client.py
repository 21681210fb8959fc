"""OpenAI's own client against the local server: python openai_client.py URL KEY"""
import sys
import openai

url, key = sys.argv[1:]
client = openai.OpenAI(base_url=url + "/v1", api_key=key, max_retries=0)
model = "gpt-test"
said = "ANSWER: Oslo\nThat is the capital."


def messages(text="Which city?"):
    return [{"role": "system", "content": "Walk the graph."}, {"role": "user", "content": text}]


def fails(kind, status, work):
    try:
        work()
    except openai.APIStatusError as error:
        assert type(error) is kind and error.status_code == status, (type(error), error)
        return error
    raise AssertionError(f"{kind} was expected")


# Whole: choices, finish, usage, stop, limit.
reply = client.chat.completions.create(model=model, messages=messages(), n=2, seed=1, temperature=0.5, max_tokens=100, stop=["\n"])
assert [c.message.content for c in reply.choices] == ["ANSWER: Oslo"] * 2 and reply.choices[1].index == 1
assert reply.choices[0].finish_reason == "stop" and reply.choices[0].message.refusal is None
assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
assert reply.usage.prompt_tokens_details.cached_tokens == reply.usage.prompt_tokens // 2
short = client.chat.completions.create(model=model, messages=messages(), max_tokens=1)
assert short.choices[0].finish_reason == "length" and short.choices[0].message.content == "ANSW"

# In pieces, several choices, usage at the end.
texts, ends, usage = {0: "", 1: ""}, {}, None
stream = client.chat.completions.create(
    model=model, messages=messages(), n=2, stream=True, stream_options={"include_usage": True}
)
for event in stream:
    for choice in event.choices:
        texts[choice.index] += choice.delta.content or ""
        if choice.finish_reason:
            ends[choice.index] = choice.finish_reason
    usage = event.usage or usage
assert texts == {0: said, 1: said} and ends == {0: "stop", 1: "stop"} and usage.completion_tokens > 0, (texts, ends, usage)

# Log-probabilities, whole and in pieces, of chats and of texts that are continued.
reply = client.chat.completions.create(model=model, messages=messages(), logprobs=True, top_logprobs=1)
logs = reply.choices[0].logprobs.content
assert "".join(entry.token for entry in logs) == said and min(entry.logprob for entry in logs) == -1.2
assert logs[0].top_logprobs[0].token == logs[0].token
stream = client.chat.completions.create(model=model, messages=messages(), logprobs=True, top_logprobs=1, stream=True)
parts = [c.logprobs for event in stream for c in event.choices if c.logprobs]
assert "".join(entry.token for part in parts for entry in part.content) == said
assert client.chat.completions.create(model=model, messages=messages()).choices[0].logprobs is None
logs = client.completions.create(model=model, prompt="A:", logprobs=1).choices[0].logprobs
assert "".join(logs.tokens) == said and min(logs.token_logprobs) == -1.2
fails(openai.BadRequestError, 400, lambda: client.chat.completions.create(model=model, messages=messages(), top_logprobs=1))

# Structured output.
schema = {
    "type": "object",
    "properties": {"relation": {"type": "string", "enum": ["~P161", "P57"]}},
    "required": ["relation"],
    "additionalProperties": False,
}
form = {"type": "json_schema", "json_schema": {"name": "relation", "strict": True, "schema": schema}}
reply = client.chat.completions.create(model=model, messages=messages(), response_format=form)
assert reply.choices[0].message.content == '{"relation":"~P161"}'
loose = {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": {"type": "object", "properties": {}}}}
fails(openai.BadRequestError, 400, lambda: client.chat.completions.create(model=model, messages=messages(), response_format=loose))

# A text that is continued.
reply = client.completions.create(model=model, prompt="Q: Which city?\nA:", max_tokens=50)
assert reply.choices[0].text == said and reply.object == "text_completion"
assert "".join(e.choices[0].text for e in client.completions.create(model=model, prompt="A:", stream=True)) == said

# Models, and errors by the client's own classes.
assert [m.id for m in client.models.list()] == [model]
wrong = openai.OpenAI(base_url=url + "/v1", api_key="wrong", max_retries=0)
error = fails(openai.AuthenticationError, 401, lambda: wrong.models.list())
assert error.code == "invalid_api_key"
error = fails(openai.NotFoundError, 404, lambda: client.chat.completions.create(model="none", messages=messages()))
assert error.code == "model_not_found"
error = fails(openai.BadRequestError, 400, lambda: client.chat.completions.create(model=model, messages=messages("word " * 4000)))
assert error.code == "context_length_exceeded"
fails(openai.RateLimitError, 429, lambda: client.chat.completions.create(model=model, messages=messages("be overloaded")))
print("passed")
