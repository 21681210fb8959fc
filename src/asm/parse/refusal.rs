//! A line that refuses to answer, in plain words, English and Chinese. That the model can't tell is an answer: its value says what it is worth.

use super::Unusable;
use regex::Regex;
use std::sync::LazyLock;

/// What a model regrets with before it refuses.
static OPENER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:
            (?:(?:i['’]?m|i\ am|we['’]re|we\ are)\ )?(?:(?:so|very|really|truly|terribly)\ )*(?:sorry|afraid)
            | (?:my\ )?apologies | i\ apologi[sz]e | unfortunately | regrettably
            | as\ an?\ (?:[\w-]+\ ){0,4}(?:ai|model|assistant|llm|chatbot)
            | (?:很|非常|十分|实在|真的)?(?:抱歉|对不起|不好意思|遗憾)
            | 作为[^,，。]{0,12}(?:AI|助手|模型|智能)[^,，。我]{0,8}
        )(?:\ for\ (?:the|any|this)\ \w+)?[\s,.!;:，。！：—–-]*(?:(?:(?:but|however|that|and)\b|但是?|不过|可是)[\s,，]*)?",
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
                | (?:provide|give|offer|share|process|complete|generate|support|do)\ (?:you|any|an|that|this|the|such|information|assistance|support|details|answers)\b
            )
            | (?:i|we)(?:['’]d|['’]ll|\ would|\ will|\ have|\ must|\ need)?(?:\ (?:have|rather|to|respectfully|must|prefer))*\ (?:decline|refuse|not\ (?:to\ )?answer)\b
            | (?:this|your|that|the)\ (?:request|question|prompt|content)\ (?:violates|is\ against|goes\ against)
        )
        | ^(?:我们?|本(?:模型|助手|AI))?(?:目前|现在|暂时|恐怕|也|真的|还)?
            (?:无法|不能|没法|没有办法|无权|不会|不便|不可以|不方便|拒绝)
            (?:[为给向对就](?:您|你|此|这个?问题|该问题)?)?(?:继续)?
            (?:提供|回答|协助|帮助|帮您|帮你|帮忙|满足|讨论|完成|处理|回应|答复|执行|遵从|参与|给出|谈论|作答)"
    ))
    .expect("constant")
});

/// After a regret so little is enough.
static SHORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?ix)^(?:{CANNOT}(?:\ (?:do\ )?(?:that|this|so|it))?|no|(?:我)?(?:不能|无法|不可以|不行))[\s.!。！]*$"))
        .expect("constant")
});

/// Why `line`, a reply without a label, is no answer, if it says so itself.
pub(super) fn refuses(line: &str) -> Option<Unusable> {
    let (mut rest, mut sorry) = (line.trim(), false);
    // "Unfortunately, as an AI model, ...": at most so many.
    for _ in 0..3 {
        let Some(opener) = OPENER.find(rest) else { break };
        (rest, sorry) = (&rest[opener.end()..], true);
    }
    (REFUSAL.is_match(rest) || (sorry && SHORT.is_match(rest))).then_some(Unusable::Unreadable(REFUSES))
}

/// Why a reply of a model that refuses is of no use.
pub(super) const REFUSES: &str = "the model refuses to answer";

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
        ] {
            assert!(matches!(refuses(line), Some(Unusable::Unreadable(REFUSES))), "{line}: {:?}", refuses(line));
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
        ] {
            assert!(refuses(line).is_none(), "{line}: {:?}", refuses(line));
        }
    }
}
