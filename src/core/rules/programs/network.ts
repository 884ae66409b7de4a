/** Programs that reach other machines, containers and databases. */
export const NETWORK = String.raw`
curl: u* -# -0123469afgGiIjkLlMNpqRsSvVZ -AeCmPrtuUyYz= -X= -H=f -w=/^(?!@)(?!.*%output\{)/ -b=/^(?!@)[^=]*=/ -d=f -F=f -o=W -D=W -c=W -OJ! -K=U -T=! -E=! -Q=! -x=! -n! -h=? --output=W --remote-name! --remote-name-all! --remote-header-name! --output-dir=W --config=U --upload-file=! --form=f --form-string= --data=f --data-binary=f --data-raw= --data-urlencode=/^[^@=]*=|^[^@]*$/ --data-ascii=f --json=f --cookie-jar=W --cookie=/^(?!@)[^=]*=/ --dump-header=W --trace=W --trace-ascii=W --stderr=W --libcurl=W --cert=! --key=! --engine=! --proxy=! --proxy1.0=! --preproxy=! --socks4=! --socks4a=! --socks5=! --socks5-hostname=! --dns-servers=! --dns-interface=! --dns-ipv4-addr=! --dns-ipv6-addr=! --quote=! --hsts=W --alt-svc=W --etag-save=W --netrc-file=! --url-query=/^[^@=]*=|^[^@]*$/ --unix-socket=! --abstract-unix-socket=! --doh-url=! --resolve=! --connect-to=! --netrc! --netrc-optional! --variable=! --cacert=! --capath=! --ssl-sessions=W --etag-compare=q --proto=/^[=,+-]*(?:https?[,+=-]*)+$/ --proto-default=/^https?$/ --proto-redir=/^[=,+-]*(?:https?[,+=-]*)+$/ --url=u --header=f --proxy-header=f --user-agent= --referer= --user= --request= --max-time= --connect-timeout= --retry= --retry-delay= --retry-max-time= --retry-connrefused --retry-all-errors --location --location-trusted --head --include --insecure --silent --show-error --verbose --fail --fail-with-body --fail-early --compressed --progress-bar --no-progress-meter --write-out=/^(?!@)(?!.*%output\{)/ --get --globoff --ipv4 --ipv6 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --limit-rate= --range= --max-redirs= --max-filesize= --post301 --post302 --post303 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tls-max= --ciphers= --interface= --local-port= --keepalive-time= --no-keepalive --no-buffer --parallel --parallel-max= --next --path-as-is --raw --remote-time --speed-limit= --speed-time= --time-cond= --tcp-nodelay --tr-encoding --version --help=? --basic --digest --negotiate --ntlm --oauth2-bearer= --aws-sigv4= --anyauth --create-dirs --disable --expand-url=! --expand-data=! --expand-header=! --expand-output=! --ftp-create-dirs --noproxy= --ssl-reqd --styled-output --suppress-connect-headers --upload-flags=
wget: u*! -o=W -a=W -O=W -P=W -i=U --input-file=U -e=! --execute=! --use-askpass=x --output-document=W --output-file=W --append-output=W --directory-prefix=W --config=L --post-file=q --body-file=q --input-metalink=U -qvcNSrkpHLEKm -ABDGIlQRtTUwX= --quiet --spider --no-verbose --header= --user-agent= --tries= --timeout= --method= --post-data= --body-data= --save-cookies=W --load-cookies=q --no-check-certificate --recursive --ca-certificate=! --certificate=! --private-key=! --rejected-log=W --warc-file=W
aria2c: u*! -dioklmjsx= -o=W -d=W -i=U --on-download-complete=x --dir=W --out=W
http,https,xh,xhs: u* -jfbhvdSFIq -aAph= -o=W --output=W --session=W --auth= --json --form --body --headers --verify= --cert=! --download!
lynx,links,elinks,w3m: u* -IOTl= -dump -source -o= 
sftp: {debugger} < c* w -1346ABCOpqRTv -r@ -cilPX= -D=x -S=x -o=y -F=! -J=! -b=L
scp: c* w -1346ABCOpqRTv -r@ -cilPX= -D=x -S=x -o=y -F=! -J=! -b=L
rsync: c* w -ahHAXvqznuctlpogDSWxiPEKLkb -ra@ -TfB= -T=! -e=x -M=! --archive@ --recursive@ --verbose --compress --progress --partial --stats --dry-run --human-readable --checksum --update --exclude= --include= --exclude-from=r --include-from=r --filter= --rsh=x --rsync-path=x --log-file=W --write-batch=W --only-write-batch=W --read-batch=q --files-from=q --remote-option=! --password-file=q --backup-dir=W --temp-dir=W --partial-dir=W --link-dest=q --compare-dest=q --copy-dest=q --delete! --delete-after! --delete-before! --delete-during! --delete-excluded! --remove-source-files! --chmod= --chown= --bwlimit= --max-size= --port= --timeout= --no-perms --no-owner --no-group --itemize-changes --info= --numeric-ids --inplace --sparse --links --times
ssh-keygen: t* -qlvBHLyYe -tbCNPEFRVzsnI= -D=! -fwOKM=! -p! 
ssh-add: r* -lLdkKcqtTvVxX= -l -L -s=! -D!
ping,ping6,traceroute,dig,nslookup,host,whois,mtr: t* -# -46aAbBdDfhnLOqRUvVx -cIiklMmNpQSsTtwWbFgjorz=
ss,netstat: t* -aAbBdeEfFghHilLmMnNoOpPrRsStTuUvVwWxXZz460 -f=
ifconfig,route,arp: t* -aesnv
nmap: [j] t* -s= -p= -P= -T= -n -v -A -O -F -6 -oN=W -oX=W -oG=W -oA=W -oS=W -iL=q --script=! --datadir=! --resume=q --stylesheet=! --servicedb=! --top-ports= --open --reason
tcpdump,tshark: t* -# -AbDeflnNOpqStuvxX -icsrGCQT= -z=x -w=W -F=q -XZ=! -Y=
$RUN -ditqPT -ehlmpuw= -a= -c= --rm --detach --interactive --tty --init --env= --user= --workdir= --name= --publish= --network= --platform= --pull= --hostname= --label= --memory= --cpus= --restart= --expose= --entrypoint=E! --health-cmd=y! -v=! --volume=! --mount=! --privileged! --cap-add=! --device=! --env-file=q! --pid=! --ipc=! --uts=! --userns=! --security-opt=! --volumes-from=! --cidfile=W --gpus= --shm-size= --tmpfs= --ulimit= --add-host= --dns= --link= --log-driver=! --runtime=! --use-api-socket! --no-deps --service-ports --build! --quiet
docker,podman: / -D -Hcl= -H=! -c=! -l= --host=! --context=! --config=! --log-level= --debug --tls --tlsverify --tlscacert=! --tlscert=! --tlskey=! --connection=! --root=! --url=! --version --identity=!
docker,podman compose exec: [?] t p -ditTq -euw= --env= --user= --workdir= --detach --interactive --tty --privileged! --index=
docker,podman exec|docker,podman container exec: [!] t p -ditTq -euw= --env= --user= --workdir= --detach --interactive --tty --privileged! --env-file=q! --index=
docker,podman compose run: [?s] t p $RUN
docker,podman run,create|docker,podman container run,create: [!s] t p $RUN
docker,podman cp|docker,podman container cp: [!] t w -aLq
docker,podman build|docker,podman image build|docker,podman buildx build|docker,podman builder build: [!] d -t= -q -f=L --file=L --tag= --build-arg= --target= --no-cache --pull --platform= --progress= -o=! --output=! --secret=! --ssh=! --iidfile=W --cache-to=! --cache-from= --push! --load --metadata-file=W --allow=! --build-context=! --network=!
docker,podman start,commit,import,load,save,export,context,plugin,buildx,builder,swarm,login,logout,push,trust,manifest,checkpoint,attach,update,machine,unshare,generate,play,kube,system: [!] -io=! -ait!
docker,podman stack,service,container,image,compose,volume,network,config,secret,node: /
docker,podman system df,info,events: t*
docker,podman stack deploy|docker,podman service create,update|docker,podman container start,export,restart,commit|docker,podman image import,load,save,push: [!] -c=! -io=! -a!
docker,podman compose|docker-compose,podman-compose: / -p= -f=! --file=! --project-name= --profile= --project-directory=! --env-file=! --ansi= --progress= --parallel= --compatibility --dry-run --all-resources
docker,podman compose up,create,start,restart,build,cp,watch,push,attach,alpha,publish: [?] t* -dtVq --build --detach --no-deps --force-recreate --remove-orphans --wait --scale= -t= --pull= --no-cache --timeout= --watch
docker-compose,podman-compose up,create,start,restart,build,cp,watch,push,attach: [!] t* -dtVq --build --detach --no-deps --force-recreate --remove-orphans --wait --scale= -t=
docker,podman compose *|docker-compose,podman-compose *: t* -fqatnvs --follow --tail= --since= --until= --timestamps --no-color --no-log-prefix --format= --services --quiet --volumes --all --status= --filter= --index= --rmi= --orphans --output=W -o=W
docker-compose,podman-compose exec,run: [!s] t p $RUN
docker,podman *: t* -afqnst --all --filter= --format= --no-trunc --quiet --latest --last= --size --follow --tail= --since= --until= --timestamps --details --force --no-stream --type= --volumes
kubectl,k,oc-kubectl: / [h] -n= -s=! -l= -A -o=/^(?!.*-file=)/ --output=/^(?!.*-file=)/ --kubeconfig=! --server=! --token=! --as=! --as-group=! --as-uid=! --cluster=! --user=! --cache-dir=! --profile=! --profile-output=W --certificate-authority=! --client-certificate=! --client-key=! --insecure-skip-tls-verify! --tls-server-name=! --context= --namespace= --selector= --all-namespaces --template= --username=! --password=! --request-timeout= --raw=! --field-selector= --sort-by= --show-labels --no-headers --watch -w -v= --log-file=W -f=r --filename=r -k=r --kustomize=r
kubectl get,describe,logs,top,explain,api-resources,api-versions,version,cluster-info,auth,rollout,diff: t* -cLp= -R -w -f --tail= --since= --follow --previous --container= --all-containers --timestamps --show-kind --ignore-not-found --chunk-size= --output-watch-events --prefix --limit-bytes= --since-time= --containers --for= --output-directory=W
kubectl exec: t p -itq -c= --stdin --tty --container= --quiet --=p
kubectl cp: [!] t w -c= --container= --no-preserve=? --retries=
kubectl config,plugin,debug,run,edit,attach,port-forward,proxy,certificate,drain,set,ctx: [!] --=p
kubectl *: t* --=p -R --recursive --dry-run=? --force --grace-period= --cascade=? --now --wait=? --timeout= --all --prune! --editor!
aws: / [h] --ca-bundle=! --endpoint-url=! --profile= --region= --output= --query= --no-verify-ssl! --cli-input-json=q --cli-input-yaml=q --no-paginate --no-cli-pager
aws configure: [!] y*
aws s3,ssm: /
aws s3 cp,mv,sync: c* w --recursive@ --exclude= --include= --quiet --dryrun --acl= --only-show-errors --delete! --size-only
aws ssm *: /^(?!fileb?:\/\/)/* --parameters=y
aws *: /^(?!fileb?:\/\/)/* 
gcloud: / [h] --command=x --project= --format= --quiet --account= --configuration= --impersonate-service-account=! --flags-file=!
gcloud config,components,auth: [!]
gcloud compute: / [h]
gcloud compute ssh: t j --zone= --tunnel-through-iap --internal-ip --dry-run --ssh-flag=! --ssh-key-file=! --strict-host-key-checking=
gcloud compute scp: c* w --recurse@ --zone= --tunnel-through-iap --internal-ip --compress --port= --scp-flag=!
az: / [h] -o= --output= --query= --subscription=
az config,extension,login,logout,cloud: [!]
psql,pgcli: {sql} < t t -aAbeEHnqstxXlwW1S0z -dhpUFPRT= -c=s^ -f=L^ -o=W -L=W -v=! --command=s^ --file=L^ --output=W --log-file=W --set=! --variable=! --dbname= --host= --port= --username= --no-psqlrc --tuples-only --no-align --quiet --csv --html --list^ --echo-all --single-transaction --expanded --field-separator= --pset= --no-password --version
mysql,mariadb,mycli: {sql} < t -ABbCEfGHiLNnqrsStTUvVwWX -hPuDSp=? -h= -P= -u= -D= -S= -e=s^ --execute=s^ --init-command=s --plugin-dir=! --tee=W --pager=x --defaults-file=L --defaults-extra-file=L --host= --port= --user= --password=? --database= --batch --table --silent --raw --skip-column-names --ssl-mode= --local-infile!=? --version --xml --vertical --protocol=
mysqldump,pg_dump,pg_dumpall,mongodump: t* -hPupUdntTFaCcOsxvW= -f=W -r=W -o=W --file=W --result-file=W --out=W --host= --port= --user=
pg_restore,mongorestore: r*! -d=
sqlite3,sqlite,litecli: [1] {sql} < m s* -cmd=s -init=L -batch -bail -column -header -noheader -csv -json -html -line -list -markdown -box -table -quote -tabs -readonly -separator= -nullvalue= -newline= -echo -stats -version -safe -interactive! -append -ascii -vfs=! -mmap= -zip! -deserialize -A! -unsafe-testing!
redis-cli,valkey-cli: {code} /^(?!(?:eval|script|config|module|debug|slaveof|replicaof|shutdown)$)/* -hpanus= --eval=L --rdb=W --pipe! --csv --raw --no-auth-warning -x!
mongo,mongosh: {code} < l* --eval=s! -f=L --file=L --quiet --norc --host= --port= -u= -p=
duckdb,clickhouse-client: [1] {sql} < r s* -c=s^ -s=s^ -q=s^ --query=s^ -json -csv -readonly -init=L -f=L --queries-file=L
`;
