"""The word lists of search: stop words, irregular forms, classes of verbs, families of words."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split())


STOP = _words(
    """
    a an the this that these those there here it its itself
    i me my mine we us our ours you your yours he him his she her hers they them their theirs
    am is are was were be been being do does did doing done have has had having
    can could will would shall should may might must
    and or nor but not no if then else than so as of at by for from in into on onto to with within without
    about via per between among through during before after
    which who whom whose what when where why how
    all any both each every some such only own same other another more most very too just also
    please want need like let us help don doesn didn isn aren wasn won cannot
    using use used uses based given
    """
)
"""Dropped from texts and queries; an exact name is looked up before, so a tool called `who_is` is still found by it."""


STOP_CHARACTERS = frozenset("的了和与或及是在把被从到对为也就都吗呢吧啊我你他她它这那有のをにはがとでもへやかねよ")
"""The same of Chinese and Japanese, where one stands alone between other scripts, signs or blanks."""


BRANDS = _words(
    """
    OAuth IPv4 IPv6 GitHub GitLab BitBucket YouTube JavaScript TypeScript CoffeeScript GraphQL PostgreSQL MySQL MariaDB
    SQLite NoSQL MongoDB DynamoDB CosmosDB DuckDB InfluxDB CouchDB PowerShell PowerPoint OneDrive OneNote SharePoint
    LinkedIn WhatsApp WeChat TikTok WordPress BigQuery CloudWatch CloudFront CloudFormation OpenAPI OpenAI OpenSearch
    ChatGPT DevOps DevTools iOS iPad iPhone iCloud iMessage macOS WiFi eBay PayPal HubSpot ClickUp ClickHouse DropBox
    FaceBook SoundCloud HackerNews CircleCI TeamCity DataDog PagerDuty QuickBooks ServiceNow SalesForce StackOverflow
    WebSocket WebHook FileSystem LaTeX PyPI NuGet RubyGems k8s K8s
    """
)
"""Names with a capital inside that people write as one word: searchGitHubIssues is search, github, issues."""

IRREGULAR = _pairs(
    """
    children=child men=man women=woman people=person persons=person mice=mouse geese=goose feet=foot teeth=tooth
    oxen=ox lice=louse dice=die halves=half wives=wife knives=knife thieves=thief loaves=loaf scarves=scarf
    shelves=shelf wolves=wolf calves=calf elves=elf hooves=hoof selves=self leaves=leaf lives=life indices=index
    matrices=matrix vertices=vertex vortices=vortex appendices=appendix codices=codex apices=apex cervices=cervix
    axes=axis analyses=analys bases=base crises=crisis theses=thesis hypotheses=hypothesis diagnoses=diagnosis
    prognoses=prognosis synopses=synopsis parentheses=parenthesis oases=oasis ellipses=ellipsis emphases=emphasis
    syntheses=synthesis antitheses=antithesis neuroses=neurosis metamorphoses=metamorphosis criteria=criterion
    phenomena=phenomenon automata=automaton polyhedra=polyhedron schemata=schema stigmata=stigma formulae=formula
    antennae=antenna vertebrae=vertebra larvae=larva algae=alga nebulae=nebula personae=persona alumni=alumnus
    cacti=cactus fungi=fungus nuclei=nucleus radii=radius stimuli=stimulus syllabi=syllabus foci=focus loci=locus
    bacilli=bacillus termini=terminus octopi=octopus corpora=corpus genera=genus curricula=curriculum
    memoranda=memorandum addenda=addendum errata=erratum bacteria=bacterium strata=stratum symposia=symposium
    aquaria=aquarium referenda=referendum millennia=millennium quanta=quantum spectra=spectrum podia=podium
    compendia=compendium maxima=maximum minima=minimum optima=optimum tempi=tempo viri=virus aliases=alias
    canvases=canvas atlases=atlas biases=bias gases=gas caches=cache headaches=headache niches=niche ids=id prs=pr
    vms=vm dbs=db tvs=tv pcs=pc ips=ip ais=ai apis=api uris=uri kpis=kpi emojis=emoji wikis=wiki guis=gui clis=cli
    taxis=taxi skis=ski menus=menu gpus=gpu cpus=cpu skus=sku gurus=guru quizzes=quiz shoes=shoe toes=toe
    canoes=canoe sent=send ran=run wrote=write written=write made=make making=make built=build bought=buy sold=sell
    paid=pay payment=pay payments=pay payer=pay chose=choose chosen=choose drew=draw drawn=draw gave=give took=take
    taken=take kept=keep told=tell taught=teach thought=think brought=bring caught=catch sought=seek spoke=speak
    spoken=speak broke=break broken=break froze=freeze frozen=freeze stole=steal stolen=steal drove=drive
    driven=drive rode=ride ridden=ride began=begin begun=begin sang=sing sung=sing swam=swim swum=swim grew=grow
    grown=grow knew=know known=know threw=throw thrown=throw flew=fly flown=fly shown=show saw=see seen=see went=go
    gone=go came=come became=become got=get gotten=get getting=get forgot=forget forgotten=forget hid=hide
    hidden=hide ate=eat eaten=eat slept=sleep spent=spend lent=lend bent=bend met=meet won=win understood=understand
    withdrew=withdraw withdrawn=withdraw overridden=override overrode=override rewritten=rewrite rewrote=rewrite
    rebuilt=rebuild resent=resend reran=rerun bound=bind using=use used=use dying=die lying=lie tying=tie adding=add
    added=add adds=add running=run pasted=paste pasting=paste wasted=waste wasting=waste tasted=taste tasting=taste
    cached=cache caching=cache synced=sync syncing=sync changed=change changing=change ranged=range ranging=range
    typing=type typed=type creating=create created=create creates=create creation=create creations=create
    choosing=choose removal=remove removals=remove approval=approve approvals=approve retrieval=retrieve
    retrievals=retrieve renewal=renew renewals=renew referral=refer referrals=refer withdrawal=withdraw
    withdrawals=withdraw arrival=arrive arrivals=arrive rental=rent rentals=rent dismissal=dismiss disposal=dispose
    proposal=propose proposals=propose subscription=subscribe subscriptions=subscribe unsubscription=unsubscribe
    description=describe descriptions=describe transcription=transcribe transcriptions=transcribe
    prescription=prescribe prescriptions=prescribe inscription=inscribe conversion=convert conversions=convert
    submission=submit submissions=submit definition=define definitions=define redefinition=redefine
    acquisition=acquire acquisitions=acquire recognition=recognize resolution=resolve resolutions=resolve
    solution=solve solutions=solve decision=decide decisions=decide division=divide divisions=divide
    explanation=explain explanations=explain revision=revise revisions=revise comparison=compare comparisons=compare
    registration=register registrations=register deployment=deploy deployments=deploy action=act actions=act
    acted=act acting=act analysis=analys analyse=analys analyze=analys analysed=analys analyzed=analys
    analysing=analys analyzing=analys analyzes=analys analyser=analys analyzer=analys analysers=analys
    analyzers=analys colour=color colours=color coloured=color favourite=favorite favourites=favorite
    behaviour=behavior centre=center centres=center catalogue=catalog catalogues=catalog licence=license
    licences=license cancelled=cancel cancelling=cancel cancellation=cancel cancellations=cancel modelled=model
    modelling=model labelled=label labelling=label travelled=travel travelling=travel datum=data bureaux=bureau
    tableaux=tableau plateaux=plateau chateaux=chateau quotation=quote quotations=quote citation=cite citations=cite
    maintenance=maintain attendance=attend acceptance=accept occurrence=occur occurrences=occur programme=program
    programmes=program dialogue=dialog dialogues=dialog metre=meter metres=meter litre=liter litres=liter
    theatre=theater theatres=theater grey=gray pence=penny lies=lie ties=tie dies=die pies=pie quoting=quote
    quoted=quote agreed=agree tied=tie died=die freed=free lenses=lens goes=go going=go js=javascript py=python
    routing=route routed=route guiding=guide guided=guide guidance=guide
    snoozing=snooze snoozed=snooze reuses=reuse reusing=reuse reused=reuse diffing=diff diffed=diff delivery=deliver
    deliveries=deliver discovery=discover recovery=recover archival=archive introduction=introduce
    reduction=reduce reductions=reduce expansion=expand expansions=expand suspension=suspend suspensions=suspend
    inclusion=include exclusion=exclude exclusions=exclude transmission=transmit transmissions=transmit
    consumption=consume md=markdown yml=yaml exec=execute k8s=kubernetes
    """
)
"""Forms that no rule gives: irregular plurals and verbs, nouns of a verb, plurals of abbreviations, other spellings,
and abbreviations of one word that stand for no other."""

KEPT = _words(
    """
    analys news lens series species always perhaps kubernetes jenkins pandas keras redis postgres windows canvas
    alias atlas bias texas kansas christmas kudos chaos macos string thing nothing something anything everything
    during morning evening ceiling setting building sterling embed hundred indeed speed seed feed need document
    comment segment element moment argument apartment department statement basement environment sediment compartment
    parliament sentiment tournament instrument monument experiment increment decrement implement supplement
    complement compliment fragment ornament torment testament regiment formation foundation objection contention
    contraction question production projection mention million billion region union version session mission
    candidate chocolate climate private corporate template immediate certificate direction reaction expression
    """
)
"""Words that an ending would be taken from wrongly, or that would then meet another word."""

_CLASSES = {
    "read": "get list show read view fetch retrieve describe display query search find lookup check inspect browse see"
    " explore count discover scan look load pull tell explain summarize summarise peek lookup",
    "create": "create add make new insert generate build register provision compose draft clone draw produce append"
    " attach initialize init bootstrap scaffold",
    "update": "update edit modify change set patch rename configure adjust alter replace move resize rotate tag"
    " label assign mark reorder",
    "delete": "delete remove drop destroy purge erase clear uninstall wipe detach unassign unlink trash discard",
    "send": "send post publish email notify reply forward share submit comment broadcast dispatch",
    "run": "run execute start launch trigger invoke call restart resume deploy evaluate play",
    "stop": "stop cancel abort kill terminate pause halt suspend shutdown disable deactivate",
    "open": "open navigate visit goto connect enable activate login",
    "close": "close disconnect logout quit exit",
    "save": "save download export backup dump write",
    "upload": "upload import restore ingest",
    "convert": "convert transform translate parse extract encode decode calculate compute analyze validate verify"
    " compare format resolve",
    "click": "click press type fill hover drag select scroll tap swipe",
}

FAMILIES = (
    "get fetch retrieve read show view",
    "list show enumerate browse",
    "search find query lookup discover",
    "create add make new insert",
    "generate create produce make",
    "delete remove drop destroy erase purge",
    "update edit modify change set patch",
    "send post publish",
    "run execute start launch trigger invoke",
    "stop cancel abort kill terminate end",
    "open navigate visit go",
    "download export save fetch",
    "upload import",
    "calculate compute",
    "convert transform",
    "analyze inspect examine evaluate",
    "check verify validate",
    "compare diff",
    "type enter input fill",
    "click press tap",
    "capture take",
    "copy clone duplicate",
    "reply respond answer",
    "translate language",
    "write save store",
    "join merge combine concat",
    "rename move",
    "schedule book plan",
    "configure setup set",
    "subscribe follow watch",
    "picture image photo photograph screenshot",
    "document doc file",
    "documentation docs doc guide manual",
    "folder directory",
    "mail email message inbox",
    "issue ticket bug",
    "repository repo",
    "database db",
    "internet web online",
    "website webpage page site url link",
    "movie film video",
    "song track music audio",
    "price cost quote fee",
    "weather forecast temperature",
    "meeting event appointment calendar",
    "user member person account profile contact",
    "organization org company",
    "config configuration setting option preference",
    "environment env",
    "kubernetes k8s cluster",
    "article post blog news",
    "comment note",
    "task todo job",
    "error failure exception fail",
    "log history",
    "place location address coordinate",
    "route direction path",
    "hotel accommodation lodging stay",
    "flight plane airline",
    "restaurant food dining recipe",
    "stock share ticker",
    "money currency payment",
    "chart graph plot diagram",
    "spreadsheet sheet excel workbook",
    "presentation slide ppt powerpoint deck",
    "table row record",
    "key secret credential",
    "tab window",
    "text content",
    "metric statistic stat",
    "product item",
    "order purchase",
    "branch fork",
    "function method",
    "container docker",
    "vm machine instance server",
    "channel room",
    "group team",
    "label tag",
    "book library",
    "test testing",
    "phone mobile device",
    "script code program",
    "report summary",
    "job vacancy position career",
    "number figure",
)
"""Words that stand for one another often enough to count a little (a tenth) where the query's own word is missing."""
VERBS = {verb: name for name, verbs in reversed(_CLASSES.items()) for verb in verbs.split()}
"""The class of each verb; a verb that two classes hold is of the first."""
