import { CLASS, toClassTable } from "./word-classes.ts";

const {
  take,
  give,
  secret,
  private: own,
  talk,
  speech,
  whole,
  past,
  person,
  must,
  aside,
  not,
  tool,
  other,
  tell,
  dismiss,
  rule,
  contents,
  choose,
} = CLASS;

/** Beginnings of words of other languages that models follow as readily. */
const STEMS: readonly (readonly [number, string])[] = [
  // German
  [take, "lies|lese|gelesen|lesen|ausles|öffne|lade|hole|sammle|kopiere|ermittle|suche nach"],
  [
    give,
    "sende|schick|übermittl|übergib|übergeb|füge|häng|anhäng|gib|leite|weiterleit|kopiere|trage|schreibe|mitgeb|einfüg|übergeben|gesendet|geschickt|mitgegeben|eingefügt",
  ],
  [secret, "zugangsdat|privatschlüssel|passwortdatei|umgebungsvariabl|schlüsselbund|anmeldedat|geheimnis"],
  [own, "passw|kennw|schlüssel|geheim"],
  [talk, "gespräch|unterhaltung|chatverlauf|nachrichtenverlauf|systemprompt|dialogverlauf"],
  [
    speech,
    "geschrieb|gesagt|eingegeb|écrit|tapé|escrito|escribi|dicho|escreve|disse|scritto|digitato|написал|сказал|ввёл|napisał|powiedział",
  ],
  [whole, "gesamt|vollständig|sämtlich|allen|komplett|alles"],
  [past, "bisherig|vorherig|bisher|frühere|vorig"],
  [person, "nutzer|benutzer|anwender|betreiber|entwickler"],
  [must, "musst|müssen|immer|bitte|unbedingt|stets|zwingend|muss"],
  [aside, "zuerst|bevor|vorher|außerdem|anschließend"],
  [not, "nicht|niemals|kein|ohne"],
  [tell, "erwähn|sagen|verrat|mitteil|informier|zeige|erzähl"],
  [dismiss, "ignorier|missacht|vergiss|verwirf"],
  [rule, "anweisung|instruktion|vorgabe|regeln"],
  [tool, "werkzeug"],
  [other, "ander"],
  [choose, "bevorzug|vorzuzieh|verwend|benutz|nutze|wähl"],
  [contents, "inhalt"],
  // French
  [take, "lis|lisez|ouvre|ouvrez|récupèr|copie|collect|charge|extrai"],
  [give, "envoie|envoyez|transmet|transmets|ajout|inclu|joins|joignez|fourni|insér|colle|passe-|mets"],
  [secret, "identifiants|clé privée|clés privées"],
  [own, "clé|mot de|mots de|secret|jeton"],
  [talk, "conversation|historique|discussion|messages"],
  [whole, "tout|toute|toutes|tous|intégral|entière|entier|complète"],
  [past, "précéd|antérieur"],
  [person, "utilisateur|usager"],
  [must, "devez|dois|doit|veuillez|toujours|obligatoire|impérativ"],
  [aside, "avant|d'abord|puis|ensuite|après"],
  [not, "pas|jamais|sans|rien|n'en|ne"],
  [tell, "parle|dis|dites|mentionn|révèl|inform|montr|préven"],
  [dismiss, "oubli|néglig|ignorez|ignore"],
  [rule, "instruction|consigne|règle|directive"],
  [tool, "outil"],
  [other, "autre"],
  [choose, "utilis|préfér|choisi|privilégi"],
  [contents, "contenu|fichier"],
  // Spanish, Portuguese, Italian
  [
    take,
    "lee|lea|abre|abra|obten|recopila|copia|extrae|carga|leia|abr|obtenha|colete|leggi|apri|raccogli|ottieni|recuper",
  ],
  [
    give,
    "envía|envia|envíe|envie|pásal|pasa|incluye|incluya|adjunt|agrega|añade|transmit|proporcion|inclua|anexe|forneça|invia|invi|includi|aggiungi|passa|trasmetti|allega|reenvía|manda",
  ],
  [secret, "credencial|clave privada|claves privadas|chave privada|credenziali|chiave privata"],
  [own, "contraseña|clave|senha|chave|chiave|secreto|segredo|segreto"],
  [talk, "conversación|conversa|conversación|conversazione|historial|histórico|diálogo|cronologia"],
  [whole, "todo|toda|todos|todas|completo|completa|íntegro|tutto|tutta|tutti|inteiro"],
  [past, "anterior|previ|hasta ahora|precedent|até agora|finora"],
  [person, "usuari|usuári|utilizador|utente"],
  [must, "debe|debes|deberá|siempre|por favor|deve|sempre|devi|obligatori|necesit"],
  [aside, "antes|primero|luego|después|primeiro|depois|prima|poi"],
  [not, "no|nunca|sin|não|sem|non|senza|mai"],
  [tell, "dig|mencion|inform|revel|cuent|conte|dire|rivel|menzion|avis|muestr"],
  [dismiss, "ignora|ignore|olvida|omite|esqueça|desconsidere|dimentica|descarta"],
  [rule, "instrucciones|instruções|istruzioni|reglas|regras|regole|indicaciones"],
  [tool, "herramient|ferramenta|strument"],
  [other, "otra|otro|outra|outro|altr|cualquier|qualquer|qualsiasi"],
  [choose, "usa|use|utiliza|prefier|prefer|elige|escolha|usar|scegli"],
  [contents, "contenido|archivo|conteúdo|arquivo|contenuto"],
  // Russian, Polish
  [take, "прочитай|прочти|открой|собери|скопируй|получи|загрузи|przeczytaj|odczytaj|otwórz|zbierz|pobierz|skopiuj"],
  [give, "отправ|передай|перешли|включи|добавь|вставь|wyślij|przekaż|prześlij|dołącz|dodaj|wklej"],
  [secret, "приватн|учётные данные|ssh-ключ|klucz prywatny|poświadcze"],
  [own, "парол|ключ|токен|секрет|hasł|klucz|token"],
  [talk, "переписк|разговор|диалог|чат|rozmow|konwersacj"],
  [whole, "все|всю|весь|всё|полн|całą|cały|wszystk|pełn"],
  [past, "предыдущ|прежн|ранее|poprzedni|wcześniej"],
  [person, "пользовател|użytkownik"],
  [must, "должен|обязательно|всегда|пожалуйста|нужно|musisz|zawsze|proszę|należy"],
  [aside, "перед|сначала|затем|после|najpierw|przed|potem"],
  [not, "не|без|никогда|nie|nigdy|bez"],
  [tell, "говори|сообщай|упоминай|рассказывай|показывай|mów|informuj|wspominaj|ujawniaj"],
  [dismiss, "игнорир|забудь|отмени|zignoruj|ignoruj|zapomnij"],
  [rule, "инструкци|указани|правил|instrukcj|polece|zasad"],
  [tool, "инструмент|narzędzi"],
  [other, "друг|inn"],
  [choose, "используй|выбирай|używaj|wybieraj"],
  [contents, "содержим|файл|zawartoś|plik"],
];

/** Languages without blanks between words. */
const CHARACTERS: readonly (readonly [number, string])[] = [
  [
    take,
    "读取|读|打开|获取|收集|复制|查看|提取|讀取|打開|読み取|読み込|読んで|取得|開い|収集|읽|가져오|열어|수집|복사",
  ],
  [
    give,
    "发送|传入|传给|传递|放在|放入|附上|包含|提供|提交|上传|转发|發送|傳入|傳給|上傳|填入|粘贴|送信|渡し|含め|貼り付け|入れて|添付|보내|전달|포함|첨부|제출|붙여",
  ],
  [
    secret,
    "密钥|私钥|凭证|凭据|密码文件|环境变量|密鑰|私鑰|憑證|秘密鍵|認証情報|環境変数|개인 키|자격 증명|환경 변수|apiキー|api 키",
  ],
  [own, "密码|令牌|口令|密碼|パスワード|トークン|비밀번호|토큰|비밀"],
  [
    talk,
    "对话|聊天记录|聊天|會話|对话历史|系统提示|系統提示|會話|会話|チャット|システムプロンプト|대화|채팅|시스템 프롬프트",
  ],
  [whole, "所有|全部|完整|整个|一切|すべて|全て|全体|全部|모든|모두|전체"],
  [past, "之前|以前|先前|此前|历史|上述|以上|이전|앞의|これまで|記録|기록"],
  [person, "用户|使用者|用戶|ユーザー|사용자"],
  [must, "必须|请|务必|应当|必須|請|してください|ください|必ず|하세요|해야|반드시|주세요"],
  [aside, "先|之前|然后|首先|前に|まず|먼저|전에"],
  [not, "不要|不得|切勿|禁止|勿|别|ないで|ません|せず|지 마|하지"],
  [tell, "告诉|告訴|告知|提及|透露|通知|言わ|伝え|知らせ|말하|알리"],
  [dismiss, "忽略|无视|無視|忘记|忘記|忽視|忘れ|무시|잊"],
  [rule, "指令|指示|规则|規則|说明|命令|ルール|지시|명령|지침"],
  [tool, "工具|ツール|도구"],
  [other, "其他|其它|別の|他の|다른"],
  [choose, "使用|优先|選択|優先|사용|우선"],
  [contents, "内容|文件|內容|内容|ファイル|파일|내용"],
];

const IDEOGRAMS: ReadonlyMap<string, number> = toClassTable(CHARACTERS);
const IDEOGRAM = new RegExp([...IDEOGRAMS.keys()].sort((left, right) => right.length - left.length).join("|"), "gu");
const BEGINNINGS: ReadonlyMap<string, readonly (readonly [string, number])[]> = toBeginnings();
/** Small words that English does not have; two of them make a sentence foreign. */
const SMALL: ReadonlySet<string> = new Set(
  "de|siempre|cualquier|lugar|immer|allen|alle|toujours|sempre|der|die|das|den|dem|und|ist|mit|als|vor|zu|dieses|le|les|des|une|dans|cet|cette|et|vous|el|los|las|del|una|con|para|por|que|esta|este|il|di|che|della|dell|nel|ao|não|seu|sua|uma|dos|nos|nie|jest|lub|gli".split(
    "|",
  ),
);

/** As much as makes a sentence foreign. */
export const FOREIGN = 2;

/** How much a word speaks for another language than English. */
export function strangenessOf(word: string): number {
  if (/[\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(word)) return FOREIGN;
  return SMALL.has(word) ? 1 : 0;
}

/** The classes of a word of another language, by how it begins. */
export function foreignClassesOf(word: string): number {
  let classes = 0;
  for (const [stem, bits] of BEGINNINGS.get(word.slice(0, 2)) ?? []) if (isFormOf(word, stem)) classes |= bits;
  return classes;
}

/** Words of a text that sets no blanks between them, each with its classes. */
export function readIdeograms(pieces: readonly string[]): readonly (readonly [string, number])[] {
  const text = pieces.filter((piece) => /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u.test(piece)).join(" ");
  return [...text.matchAll(IDEOGRAM)].map(([word]) => [word, IDEOGRAMS.get(word) ?? 0] as const);
}

/** Short stems are whole words; longer ones may have an ending. */
function isFormOf(word: string, stem: string): boolean {
  return stem.length <= 3 ? word === stem : word.startsWith(stem) && word.length - stem.length <= 8;
}

function toBeginnings(): ReadonlyMap<string, readonly (readonly [string, number])[]> {
  const beginnings = new Map<string, (readonly [string, number])[]>();
  for (const [stem, bits] of toClassTable(STEMS)) {
    const key = stem.slice(0, 2);
    beginnings.set(key, [...(beginnings.get(key) ?? []), [stem, bits]]);
  }
  return beginnings;
}
