"""How answers decline, language by language.

The patterns look for the speaker who declines (`I cannot help`), never for a product that cannot do something (`the export
cannot hold images`), and for a source that is silent (`the documents do not say`), never for a thing that is not included. English
is covered in breadth, the other languages in their common forms.
"""

from __future__ import annotations

from evalkit.scoring.refusal_language import RefusalLanguage

# English. Idioms that only sound like it: I can't recommend it enough, I could not agree more, I can not only help, I can't help but smile.
_IDIOM = (
    r"(?: \w+ly)? (?:only|but|wait|complain|go wrong|lie to you|overstate|overemphasi[sz]e|"
    r"help (?:but|feeling|loving|noticing|smiling|thinking|agreeing|wondering)|"
    r"(?:agree|disagree|care|like (?:it|this|that)) (?:\w+ ){0,2}(?:more|less)|be (?:any )?(?:clearer|easier|happier|prouder|simpler)|"
    r"be (?:any )?more (?:pleased|excited|grateful|thankful|thrilled|delighted|proud|impressed|satisfied)|"
    r"(?:ask|wish|hope) for (?:more|better|a better)|have (?:said|put|done) (?:it|that|this) better|argue with (?:that|this)|blame you|"
    r"(?:apologi[sz]e|appreciate|commend|emphasi[sz]e|endorse|express|praise|recommend|repeat|say|speak|stress|suggest|thank|underline)\b"
    r".{0,80}?\benough\b(?! (?:about|context|data|details?|evidence|information|info|to)\b))\b"
)
# The speaker unable or unwilling; a condition ("if I cannot ...") is no statement.
_ME = (
    r"(?<!if )(?<!when )(?<!unless )\b(?:i|we)(?:'m| am|'re| are| was| were|'ve been| would| will|'ll|'d)?(?: (?:really|simply|just|also|still|"
    r"currently|unfortunately|therefore|regrettably|respectfully|afraid i|have to|must))*"
    r" ?(?:can ?not|can't|could ?n't|could not|(?:won't|will not|wouldn't|would not)(?: be able to)?|unable to|not able to|not allowed to|not permitted to|"
    r"not in a position to|not going to|not comfortable)\b(?!" + _IDIOM + r")(?: \w+ly)?"
)
# Any deed that the speaker alone cannot do; `we cannot refund` is the product's limit, `I cannot thank you enough` is none.
_I_DO_NOT = (
    _ME.replace("(?:i|we)", "i", 1)
    + r" (?!(?:recommend|stress|thank|emphasi[sz]e|imagine|think|believe|say enough)\b)\w+\b"
)
_DOCUMENTS = (
    r"(?:documents?|documentation|docs|sources?|context(?! window)|material|passages?|excerpts?|knowledge base|articles?|help cent(?:er|re)|"
    r"what i (?:have|was given))"
)
_STATE = r"(?:say|state|mention|specify|answer|disclose|explain|tell|describe|indicate|discuss|name|define|reveal|speak|refer)"
_SAY = (
    _STATE[:-1]
    + r"|contain|include|cover|address|provide|give|list|detail|go into|touch on|settle|set out|offer|show(?! up)|hold|help)"
)
# Pages, policies and pronouns are products as often as sources: they must fail to state, not to include or cover.
_LOOSELY = r"(?:texts?|information|pages?|polic(?:y|ies)|guides?|records?|files?|they|it|this|that|which|none of (?:them|these))"
_SAID = (
    r"(?:mentioned|stated|specified|covered|described|answered|addressed|documented|disclosed|explained|discussed|indicated|given|"
    r"provided|listed|included|named|detailed|found|set out|defined|available|present)"
)
_IN_SOURCES = (
    r"(?:in|by|within|from|anywhere in|on)\b.{0,40}\b(?:documents?|documentation|docs|sources?|context|material|texts?|passages?|"
    r"excerpts?|knowledge base|articles?|help cent(?:er|re)|information|pages?|polic(?:y|ies)|them|what i (?:have|was given))\b"
)

ENGLISH = RefusalLanguage(
    hints=(
        "n't",
        "not",
        "no ",
        "nothing",
        "neither",
        "none",
        "unable",
        "declin",
        "refus",
        "insufficient",
        "rather",
        "prefer",
        "against",
        "violat",
        "outside",
        "beyond",
        "out of",
        "open",
        "silent",
        "inappropriate",
        "unethical",
        "denied",
        "unanswer",
        "unavailable",
        "unfound",
        "impossible",
    ),
    refuses=(
        _ME + r" (?:help|assist|comply|fulfil+|oblige|accommodate|support|engage|participate|discuss|continue|respond|"
        r"do (?:that|this|so|it)\b|go along|take part|carry out (?:that|this)|honou?r)",
        _ME
        + r" (?:provide|give|share|offer|create|write|generate|produce|supply|complete|process|answer|reveal|disclose|advise on|"
        r"recommend|endorse|teach|make) (?:(?:you|with|any|an?|the|such) )*"
        r"(?:that|this|these|those|such|instructions|information|advice|content|material|assistance|guidance|requests?|questions?|"
        r"details|help|support|opinions?|answers?)\b",
        r"\b(?:i|we)(?:'m|'ll|'d| am| are| will| would)?(?: going to)?(?: have to| must| need to)?(?: \w+ly)? (?:decline|refuse)\b",
        r"\bi(?:'d| would) (?:rather|prefer) not\b|\bi do(?:n't| not) feel comfortable\b",
        r"(?:\bnot|n't) something (?:that )?i(?:'m| am)? ?(?:can|able|allowed|comfortable|willing)\b",
        r"\b(?:against|violat\w+|not allowed by|not permitted by) (?:my|our|the) (?:\w+ )?(?:guidelines|polic(?:y|ies)|principles|rules|terms)\b",
        (
            r"\b(?:outside|beyond) (?:of )?(?:my (?:\w+ )?(?:training|field|domain|knowledge|expertise|competence|purview|abilities)|"
            r"our (?:\w+ )?(?:knowledge|expertise|competence|purview))\b"
        ),
        r"\b(?:outside|beyond|out of) (?:of )?(?:my|the|our) (?:scope|remit|capabilities|area)\b|\b(?:outside|beyond) (?:of )?what (?:i\b|the (?:documents|sources))",
        r"\bi can ?not in good conscience\b|\bi do(?:n't| not) (?:support|condone|provide|offer|discuss|assist)\b",
        r"\b(?:it would be |it is |it's |that's |that is )?(?:inappropriate|not appropriate|unethical) for me to\b",
        r"^(?:no, )?(?:request|access) (?:is )?(?:denied|refused|declined)\b",
    ),
    silent=(
        _I_DO_NOT,
        r"(?:\bnot|n't)(?: \w+ly)? possible for me to\b|\bimpossible for me to\b|\bno (?:way|means) for me to\b",
        _ME
        + r" (?:tell|say|state|answer|confirm|determine|verify|find|locate|see|give|provide|share|offer|quote|name|rule|judge|make out|"
        r"look up|access|speculate|guess|comment|promise|read|work out|establish|identify|know|point to)\b",
        r"\bi (?:can|could) (?:neither|only say that (?:the|they|it|nothing))\b|\bi (?:can|could) find (?:no|nothing)\b",
        (
            r"\bi (?:do not|don't|did not|didn't) (?:\w+ )?(?:know|find|see|possess|have (?:\w+ ){0,3}(?:information|info|details?|data|access|"
            r"knowledge|context|records?|documents?|sources?|answer|figures?|means|way|anything|enough|visibility|insight))\b"
        ),
        r"\bi (?:have|had|found|find|see|saw|know of) (?:no|nothing|neither)\b(?! (?:doubts?|problems?|issues?|objections?|trouble)\b)|\b(?:i'm|i am) not (?:sure|certain|aware)\b",
        r"\b" + _DOCUMENTS + r"\b.{0,60}?\b(?:do(?:es)?|did)(?:n't| not)(?: \w+){0,2}? " + _SAY + r"\b",
        r"\b" + _LOOSELY + r"\b.{0,40}?\b(?:do(?:es)?|did)(?:n't| not)(?: \w+){0,2}? " + _STATE + r"\b",
        r"\b"
        + _DOCUMENTS
        + r"\b(?: \w+){0,5}? (?:contains?|gives?|gave|have|has|holds?|offers?|provides?|mentions?|says?|includes?|lists?|"
        r"describes?|names?|states?|shows?) (?:nothing|no|neither)\b|\b"
        + _DOCUMENTS
        + r"\b(?: \w+){0,3}? (?:is|are|stays?) silent\b",
        r"\b" + _LOOSELY + r" (?:say|state|mention|contain|give)s? nothing\b",
        r"(?:\b(?:is|are|was|were|has|have)|'s|'re)(?:n't| not)(?: been)?(?: \w+){0,2}? "
        + _SAID
        + r"\b(?: \w+){0,4}? ?"
        + _IN_SOURCES,
        r"\b(?:is|are|was|were)(?:n't| not) (?:mentioned|stated|specified|documented|answered|disclosed|addressed)\b(?: (?:here|there|anywhere))?$",
        r"\b(?:no|none|nothing|neither)\b.{0,80}\b(?:is|are|was|were) " + _SAID + r"\b.{0,20}" + _IN_SOURCES,
        r"\b(?:is|are|was|were)(?:n't| not) (?:anywhere )?" + _IN_SOURCES,
        r"^(?:neither|none|no|not one)(?: of (?:the|these|my))?(?: \w+)? "
        + _DOCUMENTS
        + r" (?:\w+ly )?"
        + _STATE
        + r"s?\b",
        r"^(?:unable|not able|can ?not|can't|could not)(?: to)? (?:answer|determine|find|confirm|verify|tell|say|help|assist)\b",
        r"^(?:the |an )?(?:answer|information|details?) (?:was |is )?(?:not|un)[ -]?(?:found|available|given|provided)\b",
        r"\bnothing in (?:\w+ ){0,3}" + _DOCUMENTS + r"\b",
        r"\bnothing (?:about|on|that|to)\b.{0,60}"
        + _IN_SOURCES
        + r"|^(?:none|nothing|neither|not one) (?:of|in) (?:the|these|them|my|it|your)\b",
        (
            r"\b(?:there is|there's|there are|there was|contains?|ha(?:s|ve)|with) (?:simply |currently )?(?:no|not enough|insufficient|not sufficient) "
            r"(?:\w+ )?(?:information|info|mention|indication|details?|references?|documentation|data|statements?|answers?|evidence|records?|word)\b"
        ),
        r"\bwe (?:do not|don't) have (?:\w+ ){0,2}(?:information|info|details?|answers?)\b",
        r"^(?:sorry,? |unfortunately,? )?(?:no|insufficient|not enough) (?:\w+ ){0,2}(?:information|data|details?|answer|documents?|results?|context|records?)\b",
        r"\b(?:can ?not|can't|could ?n't|could not) be (?:determined|answered|confirmed|established|found|verified|derived)\b",
        r"\b(?:question|request) (?:is|remains) (?:unanswerable|unanswered|open)\b|\bunanswerable\b|\bleave (?:it|that|this|the|both|these)\b.{0,30}\bopen\b",
    ),
    filler=(
        r"^(?:i(?:'m| am) |we(?:'re| are) )?(?:so |very |truly |really )?(?:sorry|afraid)\b|^(?:my )?apologies\b|^unfortunately$|^i apologi[sz]e\b",
        r"^(?:thanks?|thank you|hi|hello|hey|dear|good (?:question|morning|afternoon)|great question|sure|of course|certainly|understood)\b.{0,60}$",
        r"^(?:you(?:'re| are) asking|you asked|you want to know|your question|as (?:for|to|regards)|regarding|about)\b|:$",
        r"^(?:i|we)(?:'ve| have)? (?:looked|searched|checked|reviewed|read|went|gone)\b",
        (
            r"\b(?:contact|reach out|get in touch|ask|consult|check with|write to|put (?:the|this|that|your) question|turn to|speak (?:to|with)|"
            r"talk to|refer to|email|call|raise (?:this|it)) "
        ),
        r"\b(?:right|best) (?:person|people|place|team|contact|next step)\b|\bplease (?:contact|provide|share|clarify|let|try|see|check|rephrase)\b",
        r"^(?:let me know|feel free|is there anything|if you (?:have|need|share|can|could|tell|give|provide|would|'d|want))",
        (
            r"\b(?:happy|glad|here) to (?:help|assist)\b|^(?:however, |but |instead, )?i(?: can| could|'m able to|'d be|'ll)(?: \w+)? "
            r"(?:help|offer|suggest|assist|look|try|explain|provide|share|point)\b"
        ),
    ),
    turns=r"\b(?:but|however|nevertheless|nonetheless|that said|still|instead|yet|although|so i(?:'ve|'ll|'m| have| will| am))\b"
    r"|\bhere(?:'s| is| are) (?:how|what|the|a|an|some|your|my)\b|^(?:in general|generally|typically|usually|normally|as a rule)\b"
    r"|\b(?:based on|from) (?:my |general )?(?:general )?knowledge\b",
)

GERMAN = RefusalLanguage(
    hints=("nicht", "kein", "ablehn", "lehne"),
    refuses=(
        (
            r"\b(?:dabei|damit|hierbei|das|diese[rnms]?|ihnen|dir) (?:\w+ ){0,4}(?:kann|darf|möchte|werde) ich (?:\w+ ){0,4}nicht (?:\w+ ){0,3}"
            r"(?:helfen|unterstützen|nachkommen|beantworten|tun|machen|weiterhelfen)"
        ),
        r"\bich (?:kann|darf|möchte|werde) (?:\w+ ){0,6}nicht (?:\w+ ){0,3}(?:helfen|weiterhelfen|unterstützen|nachkommen|beantworten|bereitstellen)",
        r"\bich (?:muss|möchte) (?:\w+ ){0,4}ablehnen\b|\bich lehne\b",
    ),
    silent=(
        r"\b(?:kann|konnte|darf) ich (?:\w+ ){0,8}(?:nicht|nichts|kein\w*)\b|\bich (?:kann|konnte|darf) (?:[\w,]+ ){0,8}(?:nicht|nichts|kein\w*)\b",
        r"\bich (?:weiß|wei(?:ss)|finde|habe|sehe) (?:\w+ ){0,5}(?:nicht|nichts|kein\w*)\b|\b(?:liegen|liegt) mir (?:\w+ ){0,3}(?:nicht|kein\w*)",
        (
            r"\b(?:dokument\w*|unterlagen|quellen?|kontext|hilfeseiten?|materials?)\b.{0,60}\b(?:nicht|nichts|kein\w*)\b"
            r".{0,60}\b(?:erwähn\w*|genannt|nennen|beschrieben|enthalten|steht|stehen|hervor|aufgeführt|angegeben|angaben?|hinweise?|auskunft|"
            r"informationen|beantworte\w*|sagen|aussagen?|geregelt|dazu)\b"
        ),
        (
            r"\b(?:nicht|nichts|kein\w*)\b.{0,60}\b(?:in|aus) (?:den|der|dem|meinen|diesen|ihren) (?:\w+ )?(?:dokumenten|unterlagen|quellen|hilfeseiten|texten|"
            r"dokumentation|kontext|informationen|material)\b"
        ),
        r"\b(?:sagen|nennen|erwähnen|beantworten|beschreiben) (?:\w+ ){0,4}(?:nicht|nichts|kein\w*)\b",
    ),
    filler=(
        r"^(?:es tut mir leid|tut mir leid|leider$|entschuldigung|danke|vielen dank|hallo|guten tag)\b.{0,60}$|:$",
        r"\b(?:wenden sie sich|wende dich|kontaktieren|fragen sie|frage|frag|bitte)\b|\bgerne? (?:helfe|weiter)\b",
    ),
    turns=r"\b(?:aber|jedoch|allerdings|dennoch|trotzdem|stattdessen)\b|\bso geht\b",
)

FRENCH = RefusalLanguage(
    hints=(" ne ", "n'", "refus", "déclin", "aucun"),
    refuses=(
        r"\bje ne (?:peux|puis|pourrai|suis pas en mesure de|souhaite) (?:pas )?(?:\w+ ){0,3}(?:aider|assister|répondre|satisfaire|accéder|faire cela)",
        r"\bje (?:dois|préfère) (?:\w+ )?(?:refuser|décliner)\b|\bje refuse\b",
    ),
    silent=(
        r"\bje (?:ne|n')\s?(?:\w+[ '])?(?:peux|puis|sais|trouve|trouvé|dispose|suis|ai|vois|connais)\b.{0,20}\b(?:pas|aucune?|rien)\b|\bje n'ai (?:pas|aucune?|rien)",
        (
            r"\b(?:documents?|documentation|sources?|contexte|extraits?|informations? (?:fournies?|disponibles?))\b.{0,60}\b(?:ne|n')\s?\w+.{0,30}\b(?:pas|aucune?|rien)\b"
            r"(?=.{0,60}\b(?:précis\w*|mentionn\w*|indiqu\w*|di(?:t|sent)|contien\w*|figure\w*|inform\w*|répon\w*|parl\w*|aucune?|rien|permet\w*|trouv\w*)|.{0,5}$)"
        ),
        (
            r"\b(?:n'est|ne sont|n'a|n'ont) (?:pas|aucunement) (?:\w+ ){0,2}(?:mentionn|précis|indiqu|abord|trait|trouv)\w*|"
            r"\b(?:aucune|pas d'|il n'y a pas d')\s?information"
        ),
        r"\b(?:ne|n')\s?(?:disent|dit|précisent|précise|mentionnent|mentionne|indiquent|indique|contiennent|contient)\b.{0,20}\b(?:pas|rien|aucune?)\b",
    ),
    filler=(
        r"^(?:je suis )?(?:vraiment )?(?:désolée?|navrée?)\b.{0,40}$|^(?:merci|bonjour|malheureusement$)|:$",
        r"\b(?:contactez|contacter|veuillez|adressez|demandez|n'hésitez)\b",
    ),
    turns=r"\b(?:mais|cependant|toutefois|néanmoins|en revanche|pourtant)\b|\bvoici\b",
)

SPANISH = RefusalLanguage(
    hints=("no ", "nada", "ningun", "rechaz", "declin", "niego"),
    refuses=(
        r"\bno (?:puedo|podré|podemos|me es posible) (?:\w+ ){0,3}(?:ayudar|asistir|responder|atender|cumplir|hacer eso|colaborar)\w*",
        r"\b(?:debo|tengo que|prefiero) (?:rechazar|declinar|negarme)\b|\bme niego\b",
    ),
    silent=(
        r"\b(?:yo )?no (?:puedo|podría|he podido|pude|sé|encuentro|encontré|he encontrado|dispongo|tengo|veo|me consta|conozco|logro)\b(?! (?:que )?dejar)",
        (
            r"\b(?:documentos?|documentación|fuentes?|contexto|textos?|páginas?|información|artículos?|material)\b.{0,60}\bno (?:\w+ ){0,2}?(?:dice\w*|menciona\w*|indica\w*|"
            r"especifica\w*|contiene\w*|incluye\w*|aclara\w*|habla\w*|aparece\w*|responde\w*|precisa\w*|recoge\w*|dan?|trata\w*|explica\w*|figura\w*|detalla\w*)"
        ),
        r"\bno (?:se|está|hay|aparece|figura|consta) (?:\w+ ){0,4}(?:menciona\w*|indica\w*|especifica\w*|mención|referencia)\b|\bno hay (?:\w+ ){0,2}(?:información|datos)\b",
        r"\b(?:documentos?|documentación)\b.{0,40}\b(?:nada|ninguna?)\b",
    ),
    filler=(
        r"^(?:lo siento|lamento|disculp\w*|gracias|hola|lamentablemente$)\b.{0,60}$|:$",
        r"\b(?:contacte|contacta|contactar|consulte|consulta|pregunte|pregunta|póngase|ponte|diríjase|recomiendo|por favor)\b",
    ),
    turns=r"\b(?:pero|sin embargo|no obstante|aun así)\b|\baquí (?:tiene|tienes|está)\b",
)

PORTUGUESE = RefusalLanguage(
    hints=("não", "recus", "declin"),
    refuses=(
        r"\bnão (?:posso|poderei|consigo|podemos) (?:\w+[- ]){0,3}(?:ajudar|auxiliar|responder|atender|fazer isso|colaborar)\w*",
        r"\b(?:devo|tenho de|tenho que|preciso) (?:recusar|declinar)\b|\bme recuso\b",
    ),
    silent=(
        r"\b(?:eu )?não (?:posso|consigo|pude|sei|encontro|encontrei|disponho|tenho|vejo|conheço|consegui|localizei)\b",
        (
            r"\b(?:documentos?|documentação|fontes?|contexto|textos?|páginas?|informaç\w+|artigos?|material)\b.{0,60}\bnão (?:\w+ ){0,2}?(?:diz\w*|menciona\w*|indica\w*|"
            r"especifica\w*|contêm|contém|inclu\w*|esclarece\w*|fala\w*|aparece\w*|responde\w*|informa\w*|consta\w*|aborda\w*|trata\w*|traz\w*)"
        ),
        r"\bnão (?:há|consta|está|é|são|foi) (?:\w+ ){0,4}(?:menciona\w*|indica\w*|especifica\w*|menção|referência)\b|\bnão há (?:\w+ ){0,2}(?:informaç\w+|dados)\b",
    ),
    filler=(
        r"^(?:desculp\w*|lamento|sinto muito|obrigad\w*|olá|infelizmente$)\b.{0,60}$|:$",
        r"\b(?:contate|contacte|entre em contato|consulte|pergunte|verifique com|por favor|recomendo)\b",
    ),
    turns=r"\b(?:mas|porém|no entanto|contudo|todavia)\b|\baqui (?:está|estão|vai)\b",
)

ITALIAN = RefusalLanguage(
    hints=("non ", "rifiut", "declin"),
    refuses=(
        r"\bnon (?:posso|potrò|possiamo|sono in grado di) (?:\w+ ){0,3}(?:aiutar\w*|assister\w*|risponder\w*|soddisfar\w*|farlo|collaborar\w*)",
        r"\b(?:devo|preferisco) (?:rifiutar\w*|declinar\w*)\b|\bmi rifiuto\b",
    ),
    silent=(
        r"\b(?:io )?non (?:posso|so|trovo|ho|dispongo|sono in grado|riesco|vedo|conosco|sono riuscit\w)\b",
        (
            r"\b(?:documenti|documento|documentazione|fonti|fonte|contesto|testi|testo|pagine|informazioni|articoli|materiale)\b.{0,60}\bnon (?:\w+ ){0,2}?(?:dic\w*|menziona\w*|"
            r"indica\w*|specifica\w*|contien\w*|contengono|includ\w*|chiarisc\w*|parla\w*|compare|rispond\w*|riporta\w*|precisa\w*|tratta\w*)"
        ),
        r"\bnon (?:è|sono|c'è|ci sono|viene|vengono|risulta) (?:\w+ ){0,4}(?:menzionat\w*|indicat\w*|specificat\w*|riportat\w*|riferiment\w*)\b|\bnon ci sono (?:\w+ ){0,2}(?:informazioni|dati)\b",
    ),
    filler=(
        r"^(?:mi dispiace|spiacente|scus\w*|grazie|ciao|buongiorno|purtroppo$)\b.{0,60}$|:$",
        r"\b(?:contatti|contatta|contattare|consulti|consulta|chieda|chiedi|si rivolga|rivolgiti|per favore|consiglio)\b",
    ),
    turns=r"\b(?:ma|però|tuttavia|comunque|ciononostante)\b|\becco\b",
)

# Japanese ends its statements in the verb; "～できません" alone is a product's limit as often as a refusal, so it is not listed.
JAPANESE = RefusalLanguage(
    hints=("ません", "ない", "かね", "断り", "控え", "不明"),
    refuses=(
        r"(?:お手伝い|お答え|回答|対応|ご協力|お力添え|お応え|ご案内)(?:は|を|に|する(?:こと)?(?:は|が))?(?:でき(?:ません|かねます|ない)|いたしかねます|致しかねます)",
        r"応じ(?:られません|かねます|ることはできません)|お断り(?:します|いたします|させて)|控えさせて",
    ),
    silent=(
        r"(?:記載|言及|情報|記述|説明|資料|文書|ドキュメント).{0,20}(?:ありません|ございません|ない(?:ため|です|。|$)|されていません|含まれていません|見つかりません|おりません)",
        r"(?:見つかりません|見つけられません|わかりません|分かりません|確認できません|判断できません|不明です|お答えできる情報)",
    ),
    filler=(
        r"^(?:申し訳|恐れ入り|すみません|ご質問|お問い合わせありがとう).{0,40}$",
        r"(?:お問い合わせください|ご連絡ください|ご確認ください|お尋ねください|ご相談ください)",
    ),
    turns=r"(?:ただし|しかし|ですが、|なお、|一方で)",
)

LANGUAGES = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "pt": PORTUGUESE,
    "it": ITALIAN,
    "ja": JAPANESE,
}
