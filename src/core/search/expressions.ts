import { stem } from "./stem.ts";

/**
 * What people say, and the words that tools use for it: `SAID, ALSO SAID > WORDS`, several on a line. Written by hand.
 * Matched against the request as typed, so that stop words count here.
 */
const EXPRESSIONS = `
pr > pull request ; prs > pull request list ; mr > merge request ; mrs > merge request list ; lgtm > approve review
ci > pipeline workflow build job ; cd > deploy ; k8s > kubernetes cluster ; repo > repository project
repos > repositories list ; db > database ; dbs > databases ; env > environment variable ; envs > environments
config > configuration settings ; auth > authentication login ; creds > credentials secret ; msg > message
msgs > messages ; doc > document page ; docs > documentation ; pic > image screenshot ; pics > images ; vid > video
app > application ; apps > applications ; dm > direct message chat user ; dms > direct messages ; cal > calendar
mail > email message ; mails > messages email ; info > details ; ls > list directory files ; dir > list directory
cat > read file contents ; head > read file ; tail > read logs file ; grep > search content code
rm > delete remove file ; mv > move rename file ; cp > copy ; mkdir > create directory folder
touch > create write file ; chmod, access, rights > permissions ; du > size directory ; stat > file info metadata
curl > fetch url request ; wget > fetch download url ; ps > list processes containers ; kill > terminate stop process
ping > health check connection ; diff > changes compare ; blame > author line commit
whoami > current user authenticated me self ; who am i > current user authenticated me self whoami
my account > current user authenticated me profile self ; my profile > current user me self
am i logged in > authentication status verify login current user ; which account > current user authenticated
sign in, log in > login authenticate ; sign out, log out > logout ; sign off, sign off on > approve
open a website, open website, open the site, visit > navigate url page ; go to, surf, browse to > navigate url
site > page website url ; website, webpage, web page > page url ; link, web address > url ; tab > page tabs browser
tabs > pages browser ; refresh > reload navigate page ; reload > navigate page ; go back > navigate back previous
scroll > swipe ; tap, push the button > click ; press > click key ; hit > click press ; button > click element
dropdown, drop down, combo box > select option ; text box, text field, search box > input fill type
form > fill fields ; popup > dialog handle alert ; pop up, alert box > dialog handle
tooltip, mouse over, point at > hover ; keyboard > press key type ; js > javascript evaluate script
run javascript, execute javascript > evaluate script ; console > console messages ; dev tools > console network
network tab, http calls, xhr > network requests ; api calls > requests ; viewport, window size > resize
slow site > performance trace ; page speed > performance trace lighthouse ; slow > performance slow
memory leak > heap snapshot memory
picture of the screen, picture of the page, what it looks like, looks like > screenshot ; snap > screenshot capture
film > record video screencast ; record > recording start ; phone, smartphone, handset, android > mobile device
iphone > mobile device ios ; gps > location ; sideways > orientation landscape ; landscape, rotate > orientation
paste > clipboard ; copied > clipboard copy ; ticket, bug, defect, story > issue ; tickets, bugs > issues
bug report, report a problem, report a bug, file a bug, open a ticket > create issue ; feature request > issue create
backlog > issues list ; raise, set up, setup, book, make, new > create ; close > update state close
reopen > update state open ; assign > update assignee assign ; hand over > assign ; tag > label tag
tags > labels tags ; remark > comment note ; remarks > comments notes ; reply > comment reply create
respond > reply comment ; answer > reply ; thread > discussion replies thread
conversation > discussion thread messages ; feedback > review comment feedback ; thumbs up > reaction emoji add
thumbs, heart > reaction emoji ; like, emoji > reaction ; upvote > reaction add ; ship > merge deploy publish
ship it, land, squash > merge ; code review > review pull request ; reviewer > review request
patch > diff changes update ; changes > diff commits ; what changed > diff commits changes
history > list commits log versions ; who changed > blame commits ; who wrote > blame author ; who broke > blame
last touched > blame commit ; check in > commit push ; check-in, checkin > commit ; revision > commit version
snippet > gist code ; favourite, favorite, bookmark > star ; starred > star repositories
copy of the repo > fork repository ; my own copy > fork copy duplicate ; green > status success passed
red > failed status ; build broke, build failed, why did it fail, red build > failure logs
failed > failure error failed logs ; broken > failed error ; flaky > flaky tests ; unreliable > flaky
retry, run again, once more > rerun ; try again > rerun retry ; kick off > run trigger start ; trigger > run
fire up > start launch run ; spin up > create start ; tear down > delete cleanup
throw away, throw out, get rid of > delete remove ; trash, bin, scrap > delete ; wipe, erase > delete clear
nuke, drop > delete drop ; purge > delete many ; discard > delete cancel ; undo > revert rollback delete
take back > delete undo ; roll back > rollback rollout undo ; go live > deploy publish
put online > deploy publish upload ; prod > production ; workloads > deployment pods resources
containers > pods container ; container output > logs ; crash > crash logs error ; crashing > logs error
crashes > crashes list ; what went wrong > logs error failure ; replicas > scale deployment
instances, more copies > scale ; yaml > manifest apply ; manifest > apply ; run a command > exec execute command
shell into > exec pod ; tunnel > port forward ; maintenance > drain cordon node ; chart release > helm
remember > create memory entities observations store ; memorize, memorise > create entities store memory
keep in mind > create entities observations memory ; do not forget, don't forget > create reminder task memory
note down > create note add ; jot down > create note append ; write down > create note
forget > delete entities observations memory ; recall > search memory nodes ; do you remember > search nodes memory
what do you know > read graph search nodes ; know about > search nodes open ; fact, facts > observations entities
todo > task list ; todos > tasks list ; to do > task ; tick off, check off > complete update task done
finished > complete update done ; mark done, mark as done > complete update task ; what is due > list tasks
plate > assigned my ; assigned to me > my list ; appointment, meeting > calendar event
appointments, meetings > calendar events ; schedule a call, book a meeting > create calendar event
am i free > calendar view freebusy availability ; free time > freebusy availability calendar view
agenda > calendar events view list ; my day > calendar view events ; what do i have > calendar view events list
reschedule > update event ; postpone > update event snooze ; call off > cancel event ; invite > attendees share event
rsvp > accept event respond ; attend > accept event ; turn down, cannot come > decline event ; maybe > tentatively
out of office, vacation reply, auto reply > mailbox settings automatic replies ; away > mailbox settings
inbox > mail messages list folder ; letter > mail message ; write to, ping > send message
write an email, drop a line, drop her a line > send mail ; text > message send
tell, let them know > send message post ; announce, shout > post message ; notify > send message notification
pass on, pass it on, fwd > forward ; attachment > attachments file ; attach > upload attachment add
enclosed > attachments ; unread > messages list ; mark as read > update read ; spam filter, sort my mail > mail rule
filter > rule search query ; rules > rule ; chat room, room > channel ; rooms > channels ; catch up > history messages
what did i miss > history messages notifications ; missed > history unread ; colleagues, people > users members
colleague, teammate > user member ; persons > users ; who is in > members users list
who can > permissions members collaborators ; who has access > permissions collaborators members list
share > share permission link ; stop sharing > delete permission ; give access > share permission create
row > record row ; rows > records rows ; line > row ; column > field property column
columns > fields properties columns ; entry > record item ; entries > records items ; cell, cells > range
spreadsheet > excel worksheet sheet table ; sheet > worksheet excel ; bold > font format
background color, highlight > fill format ; headings > header ; fill in > update fill ; sum up > summarize aggregate
add up > sum aggregate ; group by, average > aggregate ; how many, number of > count ; total > count aggregate
look up > search find get ; look for, hunt, locate > search find ; where is > search find locate
google, google it, search online > search web ; internet, on the web > web search ; online > web
news > search web news ; near me, nearby, around here > local search places ; shops > places local businesses
restaurant > places local search ; how do i get, way to > directions route ; how far > distance ; how high > elevation
lat long, latitude > coordinates geocode ; scrape > scrape extract crawl ; whole site, entire site > crawl map
all pages > crawl map list ; sitemap > map urls ; watch a page > monitor ; keep an eye > monitor watch
studies > papers research ; paper > paper research ; literature > papers search ; structure of > schema describe tree
layout > schema tree structure ; shape > schema describe ; what fields > schema properties mappings describe
which columns > schema describe table fields ; folder > directory folder ; folders > directories folders
subfolder > child directory folder ; file tree, project structure > directory tree repository
how big, how large > size ; disk space, takes up > size storage ; biggest > size sort
when was > info details metadata ; last modified > info metadata ; rename > rename move update
call it, new name > rename update ; relocate, shift > move ; put into > move add insert ; save > write create save
store > create write store insert ; dump > export ; back up, backup > export backup ; overwrite > write update put
replace > edit update replace ; swap, correct, fix > edit update ; tweak > edit update patch
change, reword, rewrite > update edit ; set > update set ; turn on > enable create update ; turn off > disable update
start > create start run ; put > create add ; show, show me > list get ; give me > get list ; see > list get view
look at > get view ; check > get status list ; open > open get launch ; pull up > get open
which, what are, all my, overview, browse > list ; read > read get ; tell me > get ; details > get describe
explain > explain describe ; plan > query plan explain ; think, think through, step by step > thinking sequential
reason > thinking ; brainstorm > mind map thinking ; pie, donut > pie chart ; bars > bar column chart
curve, trend > line chart ; trends > line area chart ; spread > boxplot histogram distribution
distribution > histogram boxplot ; correlation > scatter ; overlap > venn ; conversion, drop off > funnel
hierarchy > organization treemap tree ; org chart, reports to > organization chart
root cause, cause and effect > fishbone ; flowchart, flow chart > flow diagram ; spider > radar
heatmap > district map ; customer > contact company object ; customers > contacts objects list
client > contact customer ; clients > contacts customers ; lead > contact object ; leads > contacts objects
deal > object deal ; crm > objects contacts ; automation, flow > workflow ; automations > workflows
building block, integration > node ; wiki, article > page ; note > page note ; notes > pages notes ; bullet > block
paragraph > block paragraph ; subpage > page children ; library docs > documentation library
manual, how do i use, api reference > documentation docs ; example code > documentation examples code
fake server, stub, fake api > mock ; openapi, swagger > specification spec ; endpoint > request api
endpoints > requests api ; api tests > run collection ; test suite > run tests ; variables > environment variables
plug in, hook up > connect ; disconnect > disconnect close ; query > query search find ; sql > query execute database
pipeline > pipeline aggregate ; documents > documents records ; vulnerability > security alert advisory
vulnerabilities, security holes > security alerts advisories ; leaked, leaked password, leaked key > secret scanning
outdated > dependabot dependencies ; vulnerable packages > dependabot alerts ; cve > security advisory
newest version, latest version > latest release ; release notes > release ; alerts > notifications alerts
mentions > notifications ; subtask > sub issue ; child > sub child ; parent > parent sub ; blocked by > dependency
blocker, blocks > dependency issue link ; related > links related ; duplicate > duplicate copy ; dupes > duplicate
sprint > iteration cycle ; board, kanban > project board ; card > item task card ; time zone > timezone time
zone > timezone ; what time > current time ; how warm > weather temperature ; rain > weather forecast
umbrella > weather ; money back, chargeback, charge back > refund dispute ; bill > invoice ; bills > invoices list
how much money, funds > balance ; promo code, discount code, voucher, percent off > coupon discount
monthly plan, membership > subscription ; buy > place order ; stocks, shares of > stock holdings quote
portfolio, do i own > holdings positions ; trading at > quote price ; market open, exchange open > market status
put live, make live > publish deploy ; lock out, ban > deactivate suspend block user
block > deactivate block deny ; blocked > deny block rule ; kick out, throw out > remove delete user member
new hire, new employee, joiner, onboard > create user ; leaver, offboard > deactivate user ; admins > admin roles users
signed in, logged in > login sign logs ; weird, strange, unusual, odd > outlier anomaly ; suspicious > detections threat
misspelled, spelling, typos > fuzzy ; shrink, compact > vacuum compress size ; corrupt, damaged > integrity check
speed up, faster > index performance optimize ; test coverage, covered by > coverage measures metrics
code smells, good enough > quality ; how far along, progress > status stats progress ; plot > chart generate
against > scatter compare ; on and off > flaky intermittent ; wallet > address balance ; wallets > addresses balances
postgres, postgresql, mysql, mariadb, sql server, snowflake, bigquery > database sql query ; fw > firewall
outgoing > outbound ; incoming > inbound ; dollars, euros, euro, dollar, pounds, yen > currency exchange rate
avg, average, mean, median, stddev, standard deviation > statistics ; move together, go together > correlation
restart > restart rollout ; suspend, left the company > deactivate suspend user ; ask for changes > review
unstage, staged > staged reset ; expire, expires, runs out > expiration ; dice, coin flip > random number
foto > photo image ; handy > mobile phone ; commentary > comment ; scared, afraid > fear ; by car > driving directions
which way, the way from > route directions ; subtitles > transcript captions ; cook > meals recipes
`;

/** What the expressions in a request mean, as stems. */
export interface Expressed {
  /** Words of tools; true if the expression has several words, which is hardly chance. */
  readonly meant: ReadonlyMap<string, boolean>;
  /** The words of multi-word expressions: alone each means something else, such as the "back" of "money back". */
  readonly together: ReadonlySet<string>;
}

export function readExpressions(words: readonly string[]): Expressed {
  expressions ??= parseExpressions();
  const stems = words.map(stem);
  const meant = new Map<string, boolean>();
  const together = new Set<string>();
  stems.forEach((first, at) => {
    for (const { said, means } of expressions?.get(first) ?? []) {
      if (!isSaid(said, stems, at)) continue;
      const isPhrase = said.length > 1 && follows(said, stems, at);
      if (isPhrase) for (const word of said) together.add(word);
      for (const term of means) meant.set(term, isPhrase || meant.get(term) === true);
    }
  });
  return { meant, together };
}

/** Particles that may be separated from their verb: "kick him out", "turn the light off". */
const PARTICLES = new Set("out off back away live online".split(" "));
const MOST_BETWEEN = 3;

function isSaid(said: readonly string[], stems: readonly string[], at: number): boolean {
  if (follows(said, stems, at)) return true;
  const [, particle = ""] = said;
  if (said.length !== 2 || !PARTICLES.has(particle)) return false;
  return stems.slice(at + 2, at + 2 + MOST_BETWEEN).includes(particle);
}

function follows(said: readonly string[], stems: readonly string[], at: number): boolean {
  return said.every((word, offset) => stems[at + offset] === word);
}

interface Expression {
  readonly said: readonly string[];
  readonly means: readonly string[];
}

let expressions: ReadonlyMap<string, readonly Expression[]> | null = null;

/** By the first word of the expression. */
function parseExpressions(): ReadonlyMap<string, readonly Expression[]> {
  const found = new Map<string, Expression[]>();
  for (const part of EXPRESSIONS.trim().split(/\n| ; /)) {
    const [left = "", right = ""] = part.split(" > ");
    const means = right.split(" ").map(stem);
    for (const phrase of left.split(", ")) {
      const said = phrase.split(" ").map(stem);
      const first = said[0] ?? "";
      found.set(first, [...(found.get(first) ?? []), { said, means }]);
    }
  }
  return found;
}
