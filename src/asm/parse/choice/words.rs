//! The words, marks and joints by which a choice is told from a rejection: English and Chinese.

use regex::Regex;
use std::sync::LazyLock;

/// Words that may stand between "not" and what it denies.
const LITTLE: &str = r"(?:(?:think|believe|want|need|recommend|suggest|like|going|to|we|i|should|would|have|be|is|it|it's|use|using|choose|choosing|select|selecting|pick|picking|take|taking|follow|following|consider|considering|expand|expanding|the|a|any|of|for|by|with|about|confused|mistaken|really|either|both|relations?|propert(?:y|ies)|entit(?:y|ies)|ids?|options?|edge|item)\s+){0,5}";

/// Words before an id that deny it.
pub(super) static NOT_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?:\b(?:not|neither|nor|never|cannot|already (?:expanded|followed|used|visited|explored|tried|looked up)|instead of|rather than|other than|(?:is|are|do|wo|would|should|ca)n['’]?t)\s+{LITTLE}|(?:不是|而非|并非|不应该?选?|不能选?择?|不会选?择?|不选择?|不要选?择?|别选?|不用|不使用|不采用|不需要|无需|不考虑|不必)(?:关系|属性|实体|选项|选择|使用)?\s*)$"
    ))
    .expect("constant")
});

/// Words before a list that leave all of it out.
pub(super) static WITHOUT_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?:\b(?:none of|exclud(?:e|es|ed|ing)|ignor(?:e|es|ed|ing)|skip(?:s|ped|ping)?|discard(?:s|ed|ing)?|drop(?:s|ped|ping)?|reject(?:s|ed|ing)?|avoid(?:s|ed|ing)?|rul(?:e|ed|ing) out|eliminat(?:e|es|ed|ing))[\s:]+{LITTLE}|\b(?:rejected|excluded|discarded|ignored|irrelevant|unrelated|unselected|unused|not (?:selected|chosen|relevant|needed))\b[^\n.;:]{{0,24}}:\W*|(?:而不是|排除|忽略|去掉|跳过|不相关的?(?:实体|关系|属性)?\s*[:是])(?:关系|属性|实体)?\s*)$"
    ))
    .expect("constant")
});

/// Words between a choice and what it is preferred to.
pub(super) static OVER_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:over|than)\s+(?:the\s+)?(?:relation\s+|property\s+|entity\s+)?$").expect("constant"));

/// What stands after an id and denies it.
pub(super) static NOT_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?:\b(?:not|never|no\ longer|hardly|cannot)\b|n['’]t\b)\s+(?:[a-z]+\s+){0,4}?
          (?:useful|helpful|relevant|needed|necessary|required|related|right|correct|suitable|appropriate|applicable|help|helping|lead|leading|answer|tell|give|bring|provide|match|fit|work|matter|wanted|interesting|good|best|enough|contain|include|exist|what|one|about|choice|selected|chosen|usable|apply|make\ sense)\b
        | \b(?:irrelevant|unrelated|useless|unhelpful|unnecessary|unsuitable|inappropriate|rejected|excluded|discarded|ruled\ out)\b
        | \b(?:is|are|seems?|looks?|would\ be)\s+(?:\w+\s+)?(?:wrong|incorrect|a\ dead\ end)\b
        | \b(?:of\ no\ (?:use|help|interest)|no\ (?:use|help|good)|leads?\ nowhere|adds?\ nothing|brings?\ nothing)\b
        | ^\W*(?:is|are|was|does|do|did|would|will)(?:\ not|n['’]t)(?:\ it)?\W*$
        | \balready\s+(?:been\s+)?(?:expanded|followed|used|visited|explored|tried|looked\ up)\b | 已经?(?:查过|扩展|使用|展开|用过)
        | 不是(?:我们?)?(?:要|想|需)
        | \bcan\ be\ (?:ignored|skipped|excluded|discarded|left\ out)\b
        | ^[^\p{L}\p{N}\n]*(?:\([^()\n]{0,60}\)|[a-z][a-z\ ]{0,40}?)?[^\p{L}\p{N}\n]*[:=?(–—→>|-]\s*(?:no|nope|false|reject|skip|exclude|否|不|不选|不是|无|错)\s*(?:$|[\n,.;:)!–—|-])
        | 不(?:太|是很|够|怎么)?(?:相关|有用|合适|需要|符合|适合|重要|必要|匹配|正确|可用|适用|对\s*(?:$|[,、]))
        | (?:不能|无法|不会|没有|没|未)(?:直接)?(?:回答|帮助|提供|给出|用|找到|得到|包含)
        | 无关 | 无用 | 没用 | 无助于 | 是错 | 被排除 | 应排除 | 可以?(?:忽略|排除)",
    )
    .expect("constant")
});

/// What looks like a denial and is none.
pub(super) static NOT_REALLY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bwhy not\b|\bnot\s+(?:only|just|yet|merely|simply|directly|immediately|alone|necessarily)\b|n['’]t\s+(?:yet|directly|immediately|only|just)\b|不仅|不只|不但|尚未|还没|不直接")
        .expect("constant")
});

/// Words before a list that is only thought about.
pub(super) static CONSIDERED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?:\b(?:considered|considering|thought (?:of|about)|could|might|may|either|if)\s+{LITTLE}|\b(?:other (?:\w+ )?(?:options|relations|candidates|entities|choices)|alternatives?|options|candidates)\s*(?:are|include|would be)?[\s:]+|(?:如果|可能|也许|考虑过?|候选(?:实体|关系)?:|选项:)\s*)$"
    ))
    .expect("constant")
});

/// Words that announce a choice.
pub(super) static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        \b(?:choos(?:e|es|ing)|chose|chosen|select(?:s|ed|ing)?|pick(?:s|ed|ing)?|go(?:ing)?\ (?:with|for)|opt(?:s|ed|ing)?\ for|decided?\ (?:on|for)|settled?\ (?:on|for)|prefer)\b
        | \b(?:choice|answer|selection|pick|decision)s?\s*(?::|\b(?:is|are|would\ be|should\ be|will\ be)\b)
        | \b(?:best|right|correct|needed|(?:most\ )?(?:relevant|useful|promising|suitable|appropriate))\s+(?:\w+\s+){0,2}(?::|is\b|are\b|would\ be\b|seems?\b)
        | \b(?:i|we)(?:['’](?:d|ll)|\ would|\ will)?\ (?:take|use|follow|expand|explore|say)\b
        | \bonly\b
        | (?:^|[^候备筛当])选(?:择|取|用|中|定|出)?(?:$|[^项举手民])|采用|答案(?:是|为|:)|应该?用|只有?|仅",
    )
    .expect("constant")
});

/// Words before a word of choice that make it none.
pub(super) static HYPOTHETICAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?:(?:\b(?:not|never|neither|could|might|may|if|was going to|were going to|considered|considering|thought (?:of|about)|tempted to|should (?:i|we)|also|instead of|rather than|why)|n['’]t)\s+{LITTLE}|(?:不|也|还|别|未|没|没有|可以|可能)(?:会|能|要|应该?|该)?)$"
    ))
    .expect("constant")
});

/// "The selected entities" are those of the prompt.
pub(super) static OF_THE_PROMPT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s+entit(?:y|ies)\b[^:]*$").expect("constant"));

/// What stands after an id and chooses it.
pub(super) static BEST_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^\W*(?:\([^()\n]{0,60}\)\W*)?(?:
        (?:is|are|seems?(?:\ to\ be)?|looks?|would\ be|fits?|works?|suits?)\s+(?:(?:the|much|far|clearly|a|my|our|likely|probably)\s+){0,4}(?:best|better|right|correct|more\ \w+|most\ \w+|choice|what\ (?:i|we)\ (?:need|want)|one\ (?:i|we|to|that))\b
        | it\ is\b | instead\b | (?:更|最)(?:合适|相关|好|有用|符合|适合|直接) | 才是|是(?:正确|答案|最))",
    )
    .expect("constant")
});

/// Where a statement is over, and another or its reasons begin.
pub(super) static CLAUSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r",\s*(?:so|and|hence|therefore|thus|i|we|then|rather|instead)\b|\b(?:but|because|since|as|so that|so i|so we|whereas|while|unlike|if)\b|因为|由于|以便|所以|因此|但|，?而",
    )
    .expect("constant")
});

/// "... but it is not".
pub(super) static BUT_IT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\W*(?:but|whereas|while|though)\s+(?:it|this|that|they|these)\b|^\W*但(?:是)?(?:它|这|其)?").expect("constant")
});

/// Brackets behind an id: most hold its label.
pub(super) static BRACKETS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\([^()\n]*\)").expect("constant"));

/// Brackets that say that the id before them is not wanted.
pub(super) static DENYING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\(\s*(?:(?:no|not|never|irrelevant|unrelated|useless|unhelpful|rejected|excluded|discarded)\b|不|无)").expect("constant")
});

/// A ticked box.
pub(super) static TICKED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[\s*[x✓✔v√]\s*\]|[☑✅✓✔🗹]").expect("constant"));

/// An empty box or a cross.
pub(super) static UNTICKED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[\s*[-✗✘]?\s*\]|[☐❌✗✘✖🗷]").expect("constant"));

/// What stands between two ids of one list.
pub(super) static JOINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^(?:[\s,;、/&|•·"'“”~<>+\[\]-]|\([^()\n]{0,80}\)|\d{1,2}[.)]\s|(?:\.\s+)?\b(?:also|plus)\b|\b(?:and|or|nor|as well as)\b|和|与|及|以及|或者?|跟|wdt?:|https?://[a-z.]*wikidata\.org/(?:entity|wiki|prop/direct)/)*$"#)
        .expect("constant")
});

/// All that is on offer.
pub(super) static ALL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:all|every|everything|everyone|each|others?|rest)\b|所有|全部|都|其他|其余").expect("constant"));

/// Nothing of what is on offer.
pub(super) static NONE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:none|nothing|no one|neither|no (?:relation|entity|property|other))\b|都不|都没").expect("constant"));

/// All but what follows.
pub(super) static EXCEPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:\b(?:except(?: for)?|excluding|apart from|other than|but(?: not)?|without)\s+(?:the\s+|entity\s+|for\s+)*|除了?\s*)$")
        .expect("constant")
});

/// With these 除了 takes in what follows it.
pub(super) static ALSO: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"还|也|\balso\b").expect("constant"));

/// A prefix that belongs to the id.
pub(super) static IRI_START: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:https?://\S*[/#]|\b(?:wdt?|p|ps):)$").expect("constant"));

/// "P57? No.", behind the id.
pub(super) static DOUBTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\W{0,4}\?\s*(?:no|nope|否|不)\s*(?:$|[\n,.;:!。])").expect("constant"));

/// Words with which a choice is corrected or arrived at.
pub(super) static CORRECTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:wait|actually|no|correction|on second thought|instead|rather|better|hmm|final(?:ly)?|reconsider\w*|however|but|so|therefore|thus|hence|overall|in (?:summary|conclusion|short))\b|不对|更正|应该|最终|所以|因此|但|不过")
        .expect("constant")
});

/// Words between steps that follow each other.
pub(super) static THEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:then|next|after(?:wards| that)?|later|second(?:ly)?|followed by)\b|然后|接着|之后|再").expect("constant")
});
