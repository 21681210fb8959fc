//! Replies that refuse, in plain words, wherever they stand: as the answer, under a label, in JSON, or instead of a choice or a
//! score. English and Chinese, and the common sentences of some other languages.
//!
//! That the model can't tell is an answer: its value says what it is worth. So is what only begins like a refusal and goes on
//! ("I can't answer for certain, but it is Oslo").

use super::clean::Cleaned;
use super::half_json::cut_object;
use super::keywords;
use super::marks::{unfenced, unmarked};
use super::{Reply, Unusable, json};
use crate::asm::Action;
use regex::Regex;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Why a reply of a model that refuses is of no use.
pub(super) const REFUSES: &str = "the model refuses to answer";

/// A refusal is said at once: so many letters of a text are looked at.
const LONGEST: usize = 1_000;

/// What a model regrets with before it refuses.
static OPENER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:
            (?:(?:i['’]?m|i\ am|we['’]re|we\ are)\ )?(?:(?:so|very|really|truly|terribly|deeply)\ )*(?:sorry|afraid)
            | (?:my\ )?apologies | i\ apologi[sz]e | unfortunately | regrettably
            | (?:as|i['’]m(?:\ just)?|i\ am(?:\ just)?)\ an?\ (?:[\w-]+\ ){0,4}(?:ai|model|assistant|llm|chatbot)
            | (?:我)?(?:很|非常|十分|实在|真的|深表)?(?:抱歉|对不起|不好意思|遗憾)
            | 作为[^,，。]{0,12}(?:AI|助手|模型|智能)[^,，。我]{0,8}
            | (?:je\ suis\ )?d[ée]sol[ée]e?s? | (?:es\ )?tut\ mir\ leid | leider | lo\ siento | desculpe | mi\ dispiace | извините | к\ сожалению
        )(?:\ for\ (?:the|any|this)\ \w+)?[\s,.!;:，。！：—–-]*(?:(?:(?:but|however|and|mais|aber|pero|mas|ma|но)\b|that\s|但是?|不过|可是)[\s,，]*)?",
    )
    .expect("constant")
});

/// What a model says that it can't or won't do.
const CANNOT: &str = r"(?:i|we)(?:\ (?:simply|really|also|just|still))?(?:
    \ (?:can(?:not|['’]?t|\ not)|could(?:\ not|n['’]?t)|won['’]?t|will\ not|must\ not|may\ not)
    | (?:['’]m|['’]re|\ am|\ are)\ (?:not\ (?:able|allowed|permitted|going)|unable)\ to
)(?:\ (?:\w+ly|be|really))?";

static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?ix)^(?:
            {CANNOT}\ (?:
                assist(?:ance|ing)? | comply | respond | fulfil+ | answer | discuss | engage
                | help(?:ing)?(?:$|[.,!;]|\ (?:you|with|answer|here)\b)
                | (?:provide|give|offer|share|process|complete|generate|support|do|rate|score|judge|assess|evaluate)\ (?:you|any|an|that|this|the|such|information|assistance|support|details|answers)\b
            )
            | (?:i|we)(?:['’]d|['’]ll|\ would|\ will|\ have|\ must|\ need)?(?:\ (?:have|rather|to|respectfully|must|prefer))*\ (?:decline|refuse|not\ (?:to\ )?answer)\b
            | (?:i['’]m|i\ am|i)\ (?:not|don['’]t\ feel|do\ not\ feel)\ comfortable
            | (?:(?:this|that|it)(?:['’]s|\ is)|is)\ (?:not\ something|nothing)\ (?:that\ )?(?:i|we)(?:\ can|['’]m\ able\ to|\ am\ able\ to)\ (?:help|assist|answer|discuss|do)
            | (?:this|your|that|the)\ (?:request|question|prompt|content)\ (?:violates|is\ against|goes\ against)
            | (?:it|this|that|answering(?:\ \w+)?)\ (?:is|would\ be|goes)\ against\ (?:my|our|the)\ (?:\w+\ )?(?:guidelines|polic|rules|principles|programming|terms)
        )
        | ^(?:我们?|本(?:模型|助手|AI))?(?:目前|现在|暂时|恐怕|也|真的|还)?
            (?:无法|不能|没法|没有办法|无权|不会|不便|不可以|不方便|拒绝)
            (?:[为给向对就](?:您|你|此|这个?问题|该问题)?)?(?:继续)?
            (?:提供|回答|协助|帮助|帮您|帮你|帮忙|满足|讨论|完成|处理|回应|答复|执行|遵从|参与|给出|谈论|作答|评价|评分|评估)
        | ^(?:该|这个?|此|您的|你的)?(?:问题|请求|内容)[^，。]{{0,8}}(?:涉及|违反|包含)[^，。]{{0,8}}(?:敏感|违规|不当|政策|规定|隐私)
        | ^je\ ne\ (?:peux|puis)\ (?:pas\ )?(?:vous\ )?(?:r[ée]pondre|aider|assister)
        | ^(?:ich\ kann|kann\ ich)\ (?:\w+\ ){{0,4}}nicht\ (?:\w+\ )?(?:helfen|antworten|beantworten)
        | ^no\ puedo\ (?:ayudar|responder|contestar|asistir) | ^n[ãa]o\ posso\ (?:ajudar|responder) | ^non\ posso\ (?:aiutar|risponder)
        | ^я\ не\ могу\ (?:помочь|ответить|отвечать)
        | ^(?:申し訳(?:ありません|ございません)[がけどれ、,。]*)?(?:その|この|ご)?(?:質問|ご質問|要望|リクエスト)?(?:に|には)?(?:は)?(?:お答え|回答|お手伝い|対応)(?:は|することは?)?でき(?:ません|かねます)"
    ))
    .expect("constant")
});

/// After a regret so little is enough.
static SHORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?ix)^(?:{CANNOT}(?:\ (?:do\ )?(?:that|this|so|it))?|no|(?:我)?(?:不能|无法|不可以|不行))[\s.!。！]*$"))
        .expect("constant")
});

/// What is missing for an answer, or makes it uncertain: who says so would answer if they could.
static CANNOT_TELL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?:graph|triples?|edges?|evidence|facts\ (?:given|shown|provided)|memory
            | (?:based|going)\ (?:only\ |solely\ )?on | (?:from|with|given|without)\ (?:only\ )?(?:what|more|further|enough|just)
            | (?:from|with|given|in)\ (?:only\ )?(?:the|this|these)\ (?:\w+\ )?(?:information|facts|data|context|knowledge)
            | (?:not|n['’]t|no|without)\ (?:\w+\ )?(?:enough|sufficient) | insufficient | (?:does|do)(?:\ not|n['’]t)\ (?:contain|include|mention|list|show|say)
            | certain(?:ty|ly)? | definitive(?:ly)? | exact(?:ly)? | for\ sure | yet | until | directly )\b
        | 图谱 | 知识图 | 信息不足 | 足够 | 缺少 | 缺乏 | 未包含 | 没有包含 | 没有提到 | 未提及 | 确定 | 确切 | 暂未",
    )
    .expect("constant")
});

/// Where a text turns round, and what it goes on with.
static TURN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)[,.;!，。；！—–-]\s*(?:(?:but|however|nevertheless|nonetheless|still|though|yet|that said)\b|但是?|不过|可是|然而)[\s,，]*(?P<then>\S.*)")
        .expect("constant")
});

/// With these words a model that refused offers something else.
static OFFER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:(?:i|we)(?:['’](?:m|d|ll|re)|\ (?:can|could|would|will|am|may|are))\b | i['’]?m\ | please\b | feel\ free | if\ you | you(?:['’]re|\ (?:can|may|might|could|are))\b | let\ me | there\ are | here
            | 我(?:可以|能|愿意|很乐意) | 如果 | 您?可以 | 欢迎 | 请)",
    )
    .expect("constant")
});

/// An answer that holds none.
static NO_ANSWER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:n/?a|none|null|unknown|no answer|not available|not applicable|无|未知)\W*$").expect("constant"));

/// A thought is a refusal only if it apologises and won't help.
static FLAT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?ix)^(?:{CANNOT}\ (?:assist|comply|help|fulfil)|.{{0,12}}(?:协助|帮助|帮您|帮你|满足))")).expect("constant")
});

/// What was read, unless the model refuses.
pub(super) fn unless_refused(read: Result<Reply, Unusable>, reply: &Cleaned, known: &dyn Fn(&str) -> bool) -> Result<Reply, Unusable> {
    let refused = match &read {
        // What is in the graph is a name, however it reads.
        Ok(Reply::Action(Action::Answer { text, .. })) if known(text) => false,
        Ok(Reply::Action(Action::Answer { text, .. })) => refuses(text) || (NO_ANSWER.is_match(text) && any_of_json(&reply.text)),
        Ok(Reply::Action(Action::Think { text } | Action::Expand { text })) => only_refuses(text),
        // A form has to be filled in, whatever the model wants.
        Ok(Reply::Score(_)) => any_of_json(&reply.text),
        Ok(_) => false,
        Err(_) => reply_refuses(&reply.text),
    };
    if refused { Err(Unusable::Unreadable(REFUSES)) } else { read }
}

/// Whether a reply in which nothing else was found refuses: in its first line, perhaps under a label, or in its JSON.
pub(super) fn reply_refuses(text: &str) -> bool {
    let unfenced = unfenced(text);
    let Some(line) = unfenced.lines().find(|line| line.contains(char::is_alphanumeric)) else { return false };
    let line = unmarked(start(line));
    let labelled = keywords::at_start(&line).map(|hit| hit.rest).or_else(|| line.split_once([':', '：']).map(|(_, rest)| rest));
    refuses(&line) || labelled.is_some_and(refuses) || any_of_json(&unfenced)
}

/// Whether a text in the JSON object of a reply, whole or cut, refuses.
fn any_of_json(text: &str) -> bool {
    let any = |object: &Map<String, Value>| object.values().filter_map(Value::as_str).any(refuses);
    json::first_object(text).map(|found| found.object).or_else(|| cut_object(text).map(|half| half.all)).is_some_and(|object| any(&object))
}

fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// What follows the regrets at the beginning of `text`, and whether there are any.
fn without_regret(text: &str) -> (&str, bool) {
    let (mut rest, mut sorry) = (start(text).trim().trim_start_matches(['"', '“', '\'']), false);
    // "Unfortunately, as an AI model, ...": at most so many.
    for _ in 0..3 {
        let Some(opener) = OPENER.find(rest) else { break };
        (rest, sorry) = (&rest[opener.end()..], true);
    }
    (rest, sorry)
}

/// Whether `text`, which stands where an answer, a choice or a score does, refuses instead.
pub(super) fn refuses(text: &str) -> bool {
    let (rest, sorry) = without_regret(text);
    if sorry && SHORT.is_match(rest) {
        return true;
    }
    let goes_on = || TURN.captures(rest).and_then(|turn| turn.name("then")).is_some_and(|then| !OFFER.is_match(then.as_str()));
    let cannot = REFUSAL.is_match(rest) || (sorry && rest.starts_with('c') && REFUSAL.is_match(&format!("i {rest}")));
    cannot && !CANNOT_TELL.is_match(rest) && !goes_on()
}

/// Whether a thought is nothing but a refusal.
fn only_refuses(text: &str) -> bool {
    let (rest, sorry) = without_regret(text);
    sorry && FLAT.is_match(rest) && refuses(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_from_answers() {
        for line in [
            "I'm sorry, but I can't assist with that request.",
            "I’m sorry, I can’t help with that.",
            "Sorry, I cannot help you with this. If you have another question, feel free to ask!",
            "I apologize, but I am unable to provide that information.",
            "Unfortunately, as an AI language model, I cannot answer questions about real people.",
            "As an AI assistant I must decline to answer this question.",
            "I won't answer that.",
            "I can't comply with this request",
            "We're not able to share such details.",
            "Sorry, I can't do that.",
            "I'm sorry, but I can't.",
            "This request violates the usage policy.",
            "抱歉，我无法回答这个问题。",
            "很抱歉，作为一个人工智能助手，我不能提供相关信息。",
            "对不起，我不能协助完成该请求。",
            "我无法为您提供这类信息。",
            "无法回答。",
            "我拒绝回答这个问题",
            "I'm sorry, but I can't assist with that. However, I can help with something else.",
            "I'm not comfortable answering that.",
            "Sorry, that's not something I can help with.",
            "I'd rather not answer.",
            "I'm sorry, I can't rate this answer.",
            "很抱歉，我不能协助，但我可以谈谈电影。",
            "Je ne peux pas répondre à cette question.",
            "Désolé, je ne peux pas vous aider.",
            "Es tut mir leid, aber ich kann dabei nicht helfen.",
            "Lo siento, pero no puedo ayudar con eso.",
            "申し訳ありませんが、お答えできません。",
        ] {
            assert!(refuses(line), "{line}");
        }
    }

    #[test]
    fn titles_and_answers_are_none() {
        for line in [
            "Chris",
            "I'm Sorry",
            "Sorry",
            "Sorry, Wrong Number",
            "Sorry, Wrong Answer",
            "I Can't Help Myself",
            "I Can't Help Falling in Love with You",
            "(I Can't Get No) Satisfaction",
            "I Can't Tell You Why",
            "I Don't Know How to Love Him",
            "I'm Not Able",
            "Can't Help Lovin' Dat Man",
            "We Can't Stop",
            "I Won't Give Up",
            "I Refused to Die",
            "Unfortunately Yours",
            "As an AI, I would say it is Christopher Nolan.",
            "I cannot determine it from the graph alone, but it is Christopher Nolan.",
            "The Answer",
            "我不能失去你",
            "对不起,我爱你",
            "对不起，我的答案是北京",
            "无法触碰",
            "作为模型",
            "I cannot tell",
            "I cannot determine the answer from the graph.",
            "Sorry, I don't know.",
            "我不知道答案。",
            "根据图谱，无法确定答案。",
            "I'm sorry to say it was Chris",
            "I'm afraid it was Chris.",
            "I can't answer for certain, but it is probably Oslo.",
            "I cannot answer the question, but the director is Chris",
            "I cannot answer this based on the graph.",
            "I cannot answer the question with the information in the graph.",
            "I am unable to answer, as there is not enough information.",
            "I can't provide the answer: the graph does not list directors.",
            "I cannot answer yet",
            "我无法回答，因为图谱中没有导演。",
            "我不能给出确切的年份",
            "无法回答这个问题，但导演可能是诺兰。",
            "Sorry, it is Oslo",
            "Unfortunately unknown",
        ] {
            assert!(!refuses(line), "{line}");
        }
    }
}
