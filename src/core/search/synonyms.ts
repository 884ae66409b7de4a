import { stem } from "./stem.ts";

/** Words that people and tool authors use for the same thing; written by hand, one line for each thing. */
const GROUPS = `
picture image photo photograph
movie film cinema
show series tv television
song music track audio tune
video clip youtube
buy purchase shop shopping order store
product item goods merchandise
cheap discount deal coupon bargain
price cost fee rate
car vehicle automobile auto
job career employment vacancy hiring
resume cv
trip travel vacation holiday journey itinerary tour
flight airline airfare plane
airport iata
hotel accommodation lodging stay hostel
rent rental lease apartment
house home property estate realty housing
restaurant dining eatery
food meal dish cuisine
recipe cook cooking ingredient
drink beverage cocktail wine
mail email inbox
message chat sms text
document doc file pdf
fetch get retrieve obtain read
delete remove erase drop
create make generate build compose produce
add insert append
edit modify update change alter
find search lookup locate discover
list enumerate browse
summarize summary digest recap
translate translation translator language
stock share equity ticker
invest investment investor portfolio
crypto cryptocurrency bitcoin token coin blockchain
money currency exchange forex
bank account finance financial
tax invoice billing
pay payment checkout
weather forecast temperature climate
map location place address geocode
distance route direction navigation
near nearby local
news article headline press
joke funny humor laugh
game play gaming
quiz trivia puzzle
sport team league match
football soccer
fitness workout exercise gym training
health medical doctor disease symptom
drug medicine medication pharmaceutical
diet nutrition calorie
learn study course education teach lesson tutor
school university college student
book novel literature author
quote quotation saying
poem poetry lyric
write writing writer author draft
grammar spelling proofread
word vocabulary dictionary definition
law legal lawyer attorney court
gift present
fashion clothing outfit clothes
beauty cosmetic makeup skincare
pet dog cat animal
plant garden flower
event concert ticket festival
calendar schedule appointment meeting agenda
remind reminder alarm notify notification alert
task todo project
note memo memory
code program programming developer software script
repository repo git github
bug issue error defect
test testing qa
deploy deployment release
database sql query table
chart graph plot visualization visualize diagram
data dataset statistic analytics
website site web webpage url link page
domain dns whois
seo keyword ranking
ad advertisement advertising marketing campaign
brand logo
social twitter tweet instagram facebook
follower audience subscriber
research paper academic scholar scientific arxiv
science physics chemistry biology
math mathematics calculate calculator equation formula
convert conversion transform
time date clock timezone
day today tomorrow
random randomize
password security secure encrypt
phone telephone number mobile
people person contact user profile
company business organization firm
customer client crm
sell sale selling vendor
ship shipping delivery parcel package track
country nation region
city town
earthquake disaster
space astronomy planet nasa
religion bible prayer spiritual
dream astrology horoscope tarot
baby child kid parent
date dating relationship
speech voice speak audio tts
draw drawing design art artwork paint
color colour palette
print printer
compare comparison versus
recommend recommendation suggest suggestion advice
review rating feedback opinion
plan planner planning organize
improve optimize enhance
check verify validate validation
download save export
upload import
send post publish submit
open launch start run execute
close stop end finish cancel
folder directory
screenshot capture snapshot
`;

/** Other words for the same thing, as stems. */
export function synonymsOf(term: string): ReadonlySet<string> {
  groups ??= readGroups();
  return groups.get(term) ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();
let groups: ReadonlyMap<string, ReadonlySet<string>> | null = null;

/** A word may be in several groups. */
function readGroups(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const line of GROUPS.trim().split("\n")) {
    const group = line.split(" ").map(stem);
    for (const term of group) found.set(term, new Set([...(found.get(term) ?? []), ...group]));
  }
  return found;
}
