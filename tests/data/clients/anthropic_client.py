"""Anthropic's own client against the local server: python anthropic_client.py URL KEY"""
import sys
import anthropic

url, key = sys.argv[1:]
client = anthropic.Anthropic(base_url=url, api_key=key, max_retries=0)
model = "claude-test-1-20250101"
said = "ANSWER: Oslo\nThat is the capital."
thought = "Let me look at the graph."


def ask(text="Which city?", **more):
    return dict(model=model, max_tokens=100, messages=[{"role": "user", "content": text}], **more)


def fails(kind, status, work):
    try:
        work()
    except anthropic.APIStatusError as error:
        assert type(error) is kind and error.status_code == status, (type(error), error)
        return error
    raise AssertionError(f"{kind} was expected")


# Whole: text, thinking, reasons, usage.
reply = client.messages.create(**ask())
assert reply.content[0].text == said and reply.stop_reason == "end_turn" and reply.usage.output_tokens > 0
reply = client.messages.create(**ask("think hard"))
assert [b.type for b in reply.content] == ["thinking", "text"] and reply.content[0].thinking == thought
reply = client.messages.create(**ask(stop_sequences=["Oslo"]))
assert (reply.content[0].text, reply.stop_reason, reply.stop_sequence) == ("ANSWER: ", "stop_sequence", "Oslo")
reply = client.messages.create(**{**ask(), "max_tokens": 1})
assert reply.stop_reason == "max_tokens" and reply.content[0].text == "ANSW"
refused = client.messages.create(**ask("refuse this"))
assert refused.stop_reason == "refusal" and refused.stop_details.explanation

# Marks of the cache.
system = [{"type": "text", "text": "Walk the graph, carefully.", "cache_control": {"type": "ephemeral"}}]
first, second = (client.messages.create(**ask(system=system)).usage for _ in range(2))
assert first.cache_creation_input_tokens > 0 and first.cache_read_input_tokens == 0, first
assert second.cache_read_input_tokens == first.cache_creation_input_tokens and second.cache_creation_input_tokens == 0, second

# In pieces.
with client.messages.stream(**ask("think hard")) as stream:
    kinds = [event.type for event in stream]
    last = stream.get_final_message()
assert kinds[0] == "message_start" and kinds[-1] == "message_stop" and "thinking" in kinds and "text" in kinds, kinds
assert [b.type for b in last.content] == ["thinking", "text"] and last.content[1].text == said
assert last.content[0].thinking == thought and last.content[0].signature == "c2ln"
assert last.stop_reason == "end_turn" and last.usage.output_tokens > 1

# Structured output: a tool that has to be used, whole and in pieces.
schema = {"type": "object", "properties": {"relation": {"type": "string", "enum": ["~P161", "P57"]}}, "required": ["relation"]}
tools = dict(tools=[{"name": "relation", "input_schema": schema}], tool_choice={"type": "tool", "name": "relation"})
reply = client.messages.create(**ask(**tools))
assert reply.stop_reason == "tool_use" and reply.content[0].input == {"relation": "~P161"}
with client.messages.stream(**ask(**tools)) as stream:
    last = stream.get_final_message()
assert last.content[0].type == "tool_use" and last.content[0].input == {"relation": "~P161"}

form = {"format": {"type": "json_schema", "schema": schema}}
assert client.messages.create(**ask(output_config=form)).content[0].text == '{"relation":"~P161"}'

# The version before, in which a temperature is taken and the key has a header of its own.
older = anthropic.Anthropic(base_url=url, api_key="wrong", max_retries=0, default_headers={"anthropic-version": "2023-06-01", "x-api-key": key})
assert older.messages.create(**ask(extra_body={"temperature": 1.0})).content[0].text == said
error = fails(anthropic.BadRequestError, 400, lambda: older.messages.create(**ask(extra_body={"temperature": 1.5})))

# Models, and errors by the client's own classes.
assert [m.id for m in client.models.list()][0] == model
wrong = anthropic.Anthropic(base_url=url, api_key="wrong", max_retries=0)
fails(anthropic.AuthenticationError, 401, lambda: wrong.messages.create(**ask()))
fails(anthropic.NotFoundError, 404, lambda: client.messages.create(**{**ask(), "model": "none"}))
error = fails(anthropic.BadRequestError, 400, lambda: client.messages.create(**ask("word " * 4000)))
assert "prompt is too long" in str(error)
fails(anthropic.BadRequestError, 400, lambda: client.messages.create(**ask(stop_sequences=["\n"])))
fails(anthropic.BadRequestError, 400, lambda: client.messages.create(**ask(extra_body={"temperature": 1.0})))
fails(anthropic.BadRequestError, 400, lambda: client.messages.create(**ask(extra_body={"n": 3})))
try:
    client.messages.create(**ask("be overloaded"))
    raise AssertionError("an overload was expected")
except anthropic.APIStatusError as error:
    assert error.status_code == 529 and error.body["error"]["type"] == "overloaded_error", error
print("passed")
